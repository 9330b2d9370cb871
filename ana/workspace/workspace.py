"""The one module that knows where a person's state is: in a folder, or in a database."""

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ana.errors import ConfigError, UserError, WrongName
from ana.installing import describe_install
from ana.keys import KEY, OWNER, PERSON, make_key
from ana.own_files import PEOPLE, SERVER
from ana.recent import Recent
from ana.settings import TRACES, OthersSettings, Settings, load_settings
from ana.time.clock import Clock, find_local_zone

if TYPE_CHECKING:
    from ana.embedders import Embedder
    from ana.notes import TextPlace
    from ana.postgres.person import PersonRows
    from ana.reminders.ledger import Ledger
    from ana.spending.total import Spending
    from ana.threads.ports import ThreadLocks
    from ana.threads.store import ThreadStore
    from ana.threads.threads import Threads
    from ana.tracing.port import Traces
    from ana.workspace.storage import NoteName, Storage
    from ana.workspace.zone import Whereabouts


@dataclass(frozen=True)
class Workspace:
    """The places of a person's data, and the way to open it; nothing is opened or created before it is asked for.

    Args:
        settings: The settings that apply to this person.
    """

    settings: Settings
    person: str = OWNER
    recent: Recent = field(default_factory=Recent, compare=False, repr=False)
    """What was worked out of the person's words, as long as the process lives."""

    @property
    def folder(self) -> Path:
        """The folder of the assistant's data, for the backend; other code asks for the object that it needs."""
        data = self.settings.ana_data_dir
        return data if self.person == OWNER else self.people_folder / self.person

    @property
    def people_folder(self) -> Path:
        """The folder with the list of people and with a folder for each person but the owner."""
        return self.settings.ana_data_dir / PEOPLE

    @property
    def traces_folder(self) -> Path:
        """The folder of the traces, for code that works on files, such as a backup."""
        return self.settings.traces_dir if self.person == OWNER else self.folder / TRACES

    @property
    def server_folder(self) -> Path:
        """The folder in which the dev server keeps its data, for all people."""
        return self.settings.ana_data_dir / SERVER

    @property
    def typed_file(self) -> Path:
        """The file with the history of typed lines."""
        return self.folder / "typed"

    @property
    def evaluations_file(self) -> Path:
        """The file with the results of the last evaluations."""
        return self.folder / "evaluations.json"

    @property
    def has_database(self) -> bool:
        """Whether people's data is in a database, and not in their folders."""
        return self.settings.ana_database_url is not None

    @cached_property
    def storage(self) -> "Storage":
        """The storage of all the person's data except items.

        Raises ConfigError if the database's address is wrong, or its driver is not installed.
        """
        if self.has_database:
            rows = self.rows  # first, for it says what is missing
            from ana.workspace.postgres import PostgresStorage

            return PostgresStorage(rows)
        from ana.workspace.folder import FolderStorage

        return FolderStorage(self.person, self.folder, self.traces_folder, self.people_folder)

    @cached_property
    def rows(self) -> "PersonRows":
        """The person's rows in the database. Errors as of `storage`."""
        url = self.settings.ana_database_url
        assert url
        try:
            from ana.postgres.database import open_database
            from ana.postgres.person import PersonRows
        except ImportError as exc:
            if str(exc.name).startswith("ana."):  # ours is a mistake in the code
                raise
            raise ConfigError("ANA_DATABASE_URL needs psycopg.", f"{describe_install('postgres')}.") from exc
        return PersonRows(open_database(url.get_secret_value()), self.person)

    def note(self, name: "NoteName") -> "TextPlace":
        """Return a short text that is kept for a command."""
        return self.storage.note(name)

    def get_calendar_key(self, *, change: bool = False) -> str:
        """Return the key with which anyone can read the person's calendar; it is made when first asked for.

        Args:
            change: Whether to replace the key, so that the old one no longer works.
        """
        return self._keep_key("calendar", change=change)

    def get_reminder_key(self) -> str:
        """Return the secret that signs the buttons under the person's reminders; made when it is first asked for."""
        return self._keep_key("reminder")

    def _keep_key(self, kind: Literal["calendar", "reminder"], *, change: bool = False) -> str:
        note = self.note("calendar-key" if kind == "calendar" else "reminder-key")
        if change or not KEY.fullmatch(note.read()):
            note.write(make_key(kind))
        return note.read()  # another program may have made one at the same time: the last counts

    def list_people(self) -> list[str]:
        """Return the people other than the owner who have data here or may have some."""
        return self.storage.list_people()

    def name_aside(self, name: str) -> Path:
        """Return a folder for data that is set aside."""
        return self.folder / "set-aside" / name

    def list_backups(self) -> list[Path]:
        """Return the backups and copies that ana made before changes."""
        return [*(self.folder / "backups").glob("*.zip"), *(self.folder / "backups").glob("before-*[0-9]")]

    def list_set_aside(self) -> list[Path]:
        """Return the data of this person that moves and repairs have put aside; a removed person has another name."""
        aside = self.name_aside("")
        return [*aside.glob("moved-*"), *aside.glob("[0-9]*Z")]

    def make_clock(self) -> Clock:
        """Return a clock of the zone where the person is."""
        return Clock(self.whereabouts.find())

    @property
    def whereabouts(self) -> "Whereabouts":
        """The zone where the person is."""
        from ana.workspace.zone import Whereabouts

        return Whereabouts(self.note("zone"), find_local_zone(self.settings.ana_timezone))

    def open_traces(self) -> "Traces":
        """Return the records of turns."""
        return self.storage.open_traces(self.settings)

    def open_spending(self, clock: Clock | None = None, traces: "Traces | None" = None) -> "Spending":
        """Return the running total of the cost of models.

        Args:
            clock: Tells the person's day; None for a new one.
            traces: The records of turns; None for those of `open_traces`.
        """
        from ana.spending.total import Spending

        return Spending(
            self.note("spending.json"),
            self.storage,
            self.settings,
            clock or self.make_clock(),
            traces or self.open_traces(),
            is_local=not self.has_database,
        )

    def open_ledger(self) -> "Ledger":
        """Return the ledger of reminders that were delivered."""
        return self.storage.open_ledger()

    def open_thread_store(self) -> "ThreadStore":
        """Return the store of conversations.

        Raises:
            ConfigError: A newer program has written here.
        """
        return self.storage.open_thread_store()

    def open_locks(self) -> "ThreadLocks":
        """Return the locks of conversations."""
        return self.storage.open_locks()

    def open_threads(self) -> "Threads":
        """Return the conversations. Errors as of `open_thread_store`."""
        from ana.threads.threads import Threads

        return Threads(self.open_thread_store(), self.open_traces(), self.open_locks(), self.person)

    def build_embedder(self, name: str | None = None) -> "Embedder":
        """Return an embedder by name, or the one of the settings. Errors as of `ana.embedders.build_embedder`."""
        from ana.embedders import build_embedder

        return build_embedder(self.settings, name)

    def change(self, **settings: Any) -> "Workspace":
        """Return a workspace of the same person with other settings."""
        return replace(self, settings=self.settings.model_copy(update=settings))

    def move(self, folder: Path) -> "Workspace":
        """Return a workspace with the same settings whose state, log included, is in another folder."""
        there = {"ana_data_dir": folder / "data", "traces_dir": folder / TRACES, "log_file_path": folder / "log"}
        return self.change(**there, ana_database_url=None)


def open_workspace(settings: Settings, person: str = OWNER) -> Workspace:
    """Return the workspace of a person.

    Args:
        person: A name of small letters, digits, - and _. For the owner the given settings apply; for another person
            their own stored settings, which contain none of the owner's. In a database the owner may have stored
            settings too.

    Raises:
        WrongName: No person can have this name.
        StoreBroken: The file cannot be read, or sets something else than a person may.
        UserError: It names a model that the deployment does not let people choose.
    """
    if not PERSON.fullmatch(person):
        raise WrongName(f"{person!r:.80} is not a person's name.", "Use small letters, digits, - and _.")
    workspace = Workspace(settings, person)
    if person == OWNER and not workspace.has_database:
        return workspace
    personal = workspace.storage.read_settings() or OthersSettings.model_validate({})
    if person == OWNER:
        return replace(workspace, settings=_give_owner(settings, personal))
    if personal.ana_model:
        check_model(settings, personal.ana_model)
    return replace(workspace, settings=settings.give(personal))


def is_fixed(field: str) -> bool:
    """Return whether the environment itself sets a field, so that nothing else can change it."""
    return bool(os.environ.get(field.upper(), "").strip())


def _give_owner(settings: Settings, personal: OthersSettings) -> Settings:
    """Return the settings with the owner's stored ones, except those that the environment fixes."""
    own = {name: value for name, value in personal.dump().items() if not is_fixed(name)}
    return Settings(**{name: getattr(settings, name) for name in settings.model_fields_set} | own)


def check_model(settings: Settings, name: str) -> None:
    """Raise UserError if the deployment does not let people other than its owner choose a model."""
    models = settings.ana_models if settings.provider in ("openrouter", "openai", "ollama") else ()
    if name not in models:
        hint = f"Choose {' or '.join(models)}, or none." if models else "Leave it out: no other may be chosen here."
        raise UserError(f"The model {name!r:.80} may not be chosen here.", hint)


def load_workspace() -> Workspace:
    """Return the owner's workspace as the environment and .env say. Errors as of `load_settings`."""
    return open_workspace(load_settings())
