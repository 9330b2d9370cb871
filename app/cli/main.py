"""The command line: `ana`."""

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from keyword import iskeyword
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from ana import __version__
from ana.errors import AnaError, ConfigError
from ana.files import FILE_ERRORS
from ana.logs import has_log, name_log, set_up_logging
from ana.output import escape_controls, flush, prepare_streams, shorten, silence, tell, write_line
from ana.settings import load_settings
from app.startup import chosen

UNFORESEEN = 70
"""The exit code for a bug in ana, as in sysexits.h."""
LONGEST = 300
"""Most characters of an error to show."""

SELDOM = 50_000
"""New objects between two garbage collections, because imports create thousands of objects."""

PANELS = {
    "Every day": ("chat", "ask", "today", "due", "items", "undo", "approve", "routines", "remind", "calendar", "share"),
    "To begin": ("setup", "demo", "connect", "telegram"),
    "What is kept": ("history", "claim", "forget", "threads", "trash", "describe", "doctor", "reindex"),
    "In and out": ("import", "export", "backup", "restore", "move"),
    "Servers": ("serve", "users", "worker", "mcp"),
    "Looking inside": ("replay", "traces", "cost", "dev"),
}
"""The commands, in the order of the help, by their panels. Each is a function, or a group of commands, in the module of
the same name."""

COMMANDS = tuple(name for names in PANELS.values() for name in names)
OTHER = "Others"
"""The panel of commands of other packages."""

NOT_PERSONAL = ("setup", "demo", "serve", "worker", "users", "dev", "move")
FOR_ALL = ("doctor", "describe", "export", "backup", "reindex", "traces", "cost", "trash")
"""Commands that the owner can run for everybody, one person after another."""

EACH = "{user}"
"""The placeholder for a person's name in the name of a file written for everybody."""

OTHERS = "ana.commands"
"""The group of entry points under which other packages register commands: module:function, or module:Typer."""

logger = logging.getLogger(__name__)


class CommandGroup(TyperGroup):
    """Imports a command when it is used; its usage errors repeat nothing that could control the terminal."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS, *find_others().names]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = load_command(cmd_name)
        if command is None:  # typer suggests one of these for a name that is mistyped
            self.commands = dict.fromkeys(self.list_commands(ctx), cast("Any", None))
        return command

    def make_context(self, *args: Any, **more: Any) -> Any:
        with _escape_complaints():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        chosen.set(None)
        with _escape_complaints():
            return super().invoke(ctx)


@contextmanager
def _escape_complaints() -> Iterator[None]:
    try:
        yield
    except TyperException as exc:  # typer prints it, with what was typed or stands in a file
        exc.message = escape_controls(exc.message)
        raise


cli = typer.Typer(
    name="ana",
    cls=CommandGroup,
    help="A semantic-first personal assistant. Without a command: chat.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@cli.callback(invoke_without_command=True)
def _default(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        write_line(f"ana {__version__}")
    elif context.invoked_subcommand is None:
        from app.cli.chat import chat

        chat()


def find_others() -> EntryPoints:
    """Return the commands that other packages register."""
    return entry_points(group=OTHERS)


def load_command(name: str) -> Any:
    """Import a command and return it for typer; None if no command has this name."""
    if name in COMMANDS:
        place = f"{name}_" if iskeyword(name) else name
        target = getattr(import_module(f"app.cli.{place}"), place)
    elif name in (others := find_others()).names:
        target = others[name].load()
    else:
        return None
    command: Any = typer.main.get_group(target) if isinstance(target, typer.Typer) else _make_command(name, target)
    command.name = name
    command.rich_help_panel = next((panel for panel, names in PANELS.items() if name in names), OTHER)
    if name in COMMANDS and name not in NOT_PERSONAL:
        for each in (command, *getattr(command, "commands", {}).values()):
            add_people(each, for_all=name in FOR_ALL)
    return command


def _make_command(name: str, function: Callable[..., None]) -> Any:
    alone = typer.Typer(add_completion=False)
    alone.command(name)(function)
    return typer.main.get_command(alone)


def _give_context(context: typer.Context, value: bool) -> typer.Context | None:
    return context if value else None


def _choose(
    user: Annotated[str | None, typer.Option(metavar="NAME", help="Run it for this person (`ana users`).")] = None,
    everybody: Annotated[bool, typer.Option("--all", callback=_give_context, help="Run it for everybody.")] = False,
) -> None: ...


def add_people(command: Any, *, for_all: bool) -> None:
    """Let a command run for a person other than the owner, or for everybody."""
    run = command.callback

    def run_for(user: str | None = None, everybody: typer.Context | None = None, **more: Any) -> None:
        if user is not None:
            chosen.set(user)
        if everybody is None:
            run(**more)
        elif everybody.invoked_subcommand:
            raise typer.BadParameter(f"Write --all after {everybody.invoked_subcommand}.")
        else:
            run_for_all(run, more)

    command.callback = run_for
    command.params += _make_command("choose", _choose).params[: 1 + for_all]


def run_for_all(run: Callable[..., None], options: dict[str, Any]) -> None:
    """Run a command for one person after another, report failures, and exit with the highest code.

    Args:
        options: Its options. In `to`, the file that it writes, EACH is replaced by each person's name.
    """
    from ana.people import People
    from app.meanwhile import PASSING

    to = options.get("to")
    if to is not None and EACH not in str(to):
        raise typer.BadParameter(f"Put {EACH} into the file name, to be replaced by each person's name: all-{EACH}.")
    codes = [0]
    for name in People(load_settings()).names():
        tell(f"{name}:")
        chosen.set(name)
        try:
            run(**options if to is None else options | {"to": type(to)(str(to).replace(EACH, name))})
        except typer.Exit as exc:
            codes.append(exc.exit_code)
        except BrokenPipeError:
            raise
        except PASSING as exc:
            tell(str(exc))
            codes.append(1)
    raise typer.Exit(max(codes))


def main() -> None:
    """Run the command line; every failure becomes a message and an exit code, never a traceback."""
    gc.enable()
    gc.set_threshold(SELDOM)
    logging.root.addHandler(logging.NullHandler())  # Python would print what is logged before the log is set up
    prepare_streams()
    raise SystemExit(run_command(lambda: cli(standalone_mode=True)))


def run_command(command: Callable[[], Any]) -> int:
    """Run a command and turn its errors into an exit code: 1 the turn failed, 2 wrong usage or configuration, 70 a
    bug in ana, which the log describes."""
    try:
        try:
            command()
        finally:
            flush()
    except AnaError as exc:
        tell(exc.sentence())
        return 2 if isinstance(exc, ConfigError) else 1
    except BrokenPipeError:
        silence()
        return 1
    except KeyboardInterrupt:
        tell("Stopped.")
        return 130
    except UnicodeEncodeError as exc:
        tell(f"{exc.object!r} is not UTF-8 text.")
        return 2
    except FILE_ERRORS as exc:
        tell(f"A file could not be used: {exc}. Check the disk, ANA_DATA_DIR and TRACES_DIR.")
        return 1
    except Exception as exc:  # no traceback reaches a person, and no other code may be mistaken for what a command says
        _prepare_log()
        logger.exception("a command failed in a way that was not foreseen")
        why = shorten(f"{type(exc).__name__}: {exc}", LONGEST)
        tell(f"Something went wrong that was not foreseen: {why}. {name_log()} says where it happened.")
        return UNFORESEEN
    return 0


def _prepare_log() -> None:
    """Set up the log even if a command failed before its start, for example at an import."""
    if not has_log():
        with suppress(AnaError):
            set_up_logging(load_settings())
