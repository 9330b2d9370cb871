"""The one module that knows where a person's state is: in the data folder, or for another than its owner below it."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ana import settings as settings_module
from ana.errors import UserError, WrongName
from ana.keys import KEY, OWNER, PERSON, make_key
from ana.notes import Note, read_note
from ana.own_files import CALLS, PEOPLE, SERVER
from ana.recent import Recent
from ana.settings import TRACES, OthersSettings, Settings, load_settings
from ana.time.clock import Clock, local_zone

if TYPE_CHECKING:
    from ana.embedders import Embedder
    from ana.reminders.ledger import Ledger
    from ana.spending.port import Spending
    from ana.threads.ports import ThreadLocks, ThreadStore
    from ana.threads.threads import Threads
    from ana.tracing.port import Traces

NoteName = Literal["shown", "embedder-suggested", "ollama-offered", "calendar-key", "push-key"]

SETTINGS = "settings.json"
"""The file of a person's settings, in their folder; the owner's are in the environment and .env."""


@dataclass(frozen=True)
class Workspace:
    """Where everything is that a person has, with what opens it; nothing is opened or created before it is asked for.

    Args:
        settings: The settings that count for this person.
        person: Who.
    """

    settings: Settings
    person: str = OWNER
    recent: Recent = field(default_factory=Recent, compare=False, repr=False)
    """What was worked out of the person's words, as long as the process lives."""

    @property
    def folder(self) -> Path:
        """The folder of what the assistant knows, for the backend; whoever wants something else asks for that."""
        data = self.settings.ana_data_dir
        return data if self.person == OWNER else self.people_folder / self.person

    @property
    def people_folder(self) -> Path:
        """The folder of the folders of others than the owner, and of the list of people."""
        return self.settings.ana_data_dir / PEOPLE

    @property
    def traces_folder(self) -> Path:
        """The folder of the traces, for what works on files, such as a backup."""
        return self.settings.traces_dir if self.person == OWNER else self.folder / TRACES

    @property
    def server_folder(self) -> Path:
        """The folder of what the dev server keeps, for everybody."""
        return self.settings.ana_data_dir / SERVER

    @property
    def calls_folder(self) -> Path:
        """The folder of the calls of other assistants that were not answered yet."""
        return self.folder / CALLS

    @property
    def typed_file(self) -> Path:
        """The file of the lines that were typed."""
        return self.folder / "typed"

    @property
    def evaluations_file(self) -> Path:
        """The file of what the last evaluations came to."""
        return self.folder / "evaluations.json"

    def note(self, name: NoteName) -> Note:
        """Return a short text that is kept for a command."""
        return Note(self.folder / name)

    def calendar_key(self, *, change: bool = False) -> str:
        """Return what lets whoever has it read the person's calendar; it is made when it is first asked for.

        Args:
            change: Whether another takes its place: who has the old one reads nothing any more.
        """
        note = self.note("calendar-key")
        if change or not KEY.fullmatch(note.read()):
            note.write(make_key("calendar"))
        return note.read()  # another program may have made one at the same time: the last counts

    def stamp_settings(self) -> tuple[int, ...]:
        """Return what changes when the file of this person's settings does; nothing without one."""
        env_file = settings_module.find_places().env_file
        try:
            found = (env_file if self.person == OWNER else self.folder / SETTINGS).stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def stamp_folder(self) -> tuple[int, ...]:
        """Return what changes when another folder takes the place of this one; nothing without one."""
        try:
            found = self.folder.stat()
        except OSError:
            return ()
        return found.st_dev, found.st_ino

    def list_people(self) -> list[str]:
        """Return the others than the owner who have a folder here."""
        return sorted(path.name for path in self.people_folder.glob("*") if path.is_dir())

    def name_aside(self, name: str) -> Path:
        """Return a folder for what was put aside."""
        return self.folder / "set-aside" / name

    def list_backups(self) -> list[Path]:
        """Return the backups that were made before something else."""
        return [*(self.folder / "backups").glob("*.zip")]

    def make_clock(self) -> Clock:
        """Return a clock of the person's zone."""
        return Clock(local_zone(self.settings.ana_timezone))

    def open_traces(self) -> "Traces":
        """Return the records of turns."""
        from ana.logs import secrets_of
        from ana.tracing.files import TraceFiles

        return TraceFiles(self.traces_folder, secrets_of(self.settings))

    def open_spending(self, clock: Clock | None = None, traces: "Traces | None" = None) -> "Spending":
        """Return the running total of what models cost.

        Args:
            clock: Tells the person's day; None for a new one.
            traces: The records of turns; None for those of `open_traces`.
        """
        from ana.spending.folder import FolderBooks
        from ana.spending.total import DayTotal

        books = FolderBooks(self.folder)
        return DayTotal(books, self.settings, clock or self.make_clock(), traces or self.open_traces())

    def open_ledger(self) -> "Ledger":
        """Return the ledger of reminders that were delivered."""
        from ana.reminders.folder import FolderLedger

        return FolderLedger(self.folder / "reminders.sqlite")

    def open_thread_store(self) -> "ThreadStore":
        """Return what keeps conversations.

        Raises:
            ConfigError: A newer program has written here.
        """
        from ana.backends.chroma.care.format import read_format
        from ana.threads.folder import FolderThreadStore

        read_format(self.folder)
        return FolderThreadStore(self.folder)

    def open_locks(self) -> "ThreadLocks":
        """Return the locks of conversations."""
        from ana.threads.locks import FolderThreadLocks

        return FolderThreadLocks(self.folder)

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
        return self.change(ana_data_dir=folder / "data", traces_dir=folder / TRACES, log_file_path=folder / "log")


def open_workspace(settings: Settings, person: str = OWNER) -> Workspace:
    """Return the workspace of a person.

    Args:
        person: A name of small letters, digits, - and _. The owner's state is in the data folder itself, and their
            settings are those given; another's are in a file of their folder, in which nothing is the owner's.

    Raises:
        WrongName: A person cannot be called so.
        StoreBroken: The file cannot be read, or sets something else than a person may.
        UserError: It names a model that the deployment does not let people choose.
    """
    if not PERSON.fullmatch(person):
        raise WrongName(f"{person!r:.80} is not a person's name.", "Use small letters, digits, - and _.")
    if person == OWNER:
        return Workspace(settings)
    personal = read_note(Workspace(settings, person).folder / SETTINGS, OthersSettings, "Correct it, or delete it.")
    personal = personal or OthersSettings.model_validate({})
    if personal.ana_model:
        check_model(settings, personal.ana_model)
    return Workspace(settings.give(personal), person)


def check_model(settings: Settings, name: str) -> None:
    """Raise UserError if the deployment does not let others than its owner choose a model."""
    models = settings.ana_models if settings.provider in ("openrouter", "openai", "ollama") else ()
    if name not in models:
        hint = f"Choose {' or '.join(models)}, or none." if models else "Leave it out: no other may be chosen here."
        raise UserError(f"The model {name!r:.80} may not be chosen here.", hint)


def load_workspace() -> Workspace:
    """Return the owner's workspace as the environment and .env say. Errors as of `load_settings`."""
    return open_workspace(load_settings())
