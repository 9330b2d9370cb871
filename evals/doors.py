"""The doors of the program, as docs/commands.md and docs/server.md list them: commands and routes."""

from starlette.routing import Route

from app.server.app import API, NOT_BUILT
from app.server.routes import ROUTES

DOORS = (
    (
        "`make chat`, `ana`",
        "the REPL: /help /context /items /due /today /routines /done /snooze /undo /redo /forget /transcript /threads "
        "/autonomy /zone /reset /quit",
    ),
    (
        '`ana ask "…" [--thread T] [--json] [--utc] [--max-steps N]`',
        "one turn; piped text is added; exit 0 done, 1 failed or not understood, 2 wrong use, 3 waiting for a "
        "decision, 70 a mistake of ours",
    ),
    (
        "`ana setup`",
        "choose a model (OpenAI, OpenRouter, Ollama, a compatible server), try it with one message, write `.env`",
    ),
    (
        r"`ana ask --thread T --decide approve\|reject\|FILE [--request ID]`",
        'decides what a turn waits for; FILE holds {"decisions": [...]}; without ID it is what this terminal was shown'
        " last, or nothing is done",
    ),
    (
        "`ana threads [list]\\|show T [--limit N --before TURN]\\|delete T [--yes]\\|restore T\\|drop T`",
        "conversations, read from their traces; a deletion can be taken back until the trash is purged",
    ),
    (
        "`ana items [WORDS] [--where JSON] [--source S] [--why] [--json]`",
        "what is kept, found by meaning, words, property and source, as a table",
    ),
    (
        '`ana claim [ID\\|"line N"] [--source S] [--turn T]`',
        "says that what others told is in your own words; an undo takes it back",
    ),
    (
        "`ana routines [list]\\|start NAME [--at HH:MM]\\|run ID\\|end ID`",
        "what is asked at set times, such as a brief each morning: the next time, the last one, its cost",
    ),
    (
        "`ana today [--json]`",
        "the day at a glance: what is overdue, today with its times, then the next days, on one screen",
    ),
    (
        "`ana due [--json]`",
        "what is overdue, not marked, today's, in the next seven days; exit 4 if anything but the last, for cron",
    ),
    ("`ana history [--item ID] [--since DAY] [--json]`", "what was changed, when, and in which turn"),
    (
        "`ana replay ID\\|--path FILE [--index -1] [--rerun [--model M] [--prompt FILE]] [--json]`",
        "tells a recorded turn: steps, timings, cost; runs it again with its decisions and results, or asks another "
        "model on a copy of the store; exit 0 the same, 1 different, 2 it cannot be run again",
    ),
    (
        "`ana undo [--turn T] [--force]`",
        "undoes the last turn that changed something, items and Global Context alike, each call one more; prints the"
        " command that brings it back; exit 1 on a conflict",
    ),
    (
        "`ana forget [NAME] [--with-items] [--yes]`",
        "takes a message (its id, from `ana threads show`), an item or `line 3` out of everything, after asking: "
        "[what goes](reliability.md#what-forgetting-takes-away)",
    ),
    (
        "`ana trash [list\\|restore ID\\|--purge [--older-than 30d] [--with-conversations [--yes]]]`",
        "what was deleted: seen, brought back, or deleted permanently, so that no file of the data folder but backups"
        " holds it",
    ),
    (
        "`ana doctor [--repair] [--json]`",
        "proves that everything is readable, found by its own vector and as the journal says; repairs it;"
        " exit 1 if not",
    ),
    (
        "`ana export FILE [--force] [--ics]`, `ana import FILE [--replace] [--mine\\|--from-others] [--yes]`",
        "everything as lines of JSON, the same bytes again from an empty folder; `--ics` writes a calendar;"
        " takes also calendars, rows of other programs (CSV, TSV, JSON, Markdown, a folder or ZIP of them; `--title`,"
        " `--due` and so on name their columns); all or nothing",
    ),
    (
        "`ana import URL [--follow [--name NAME]]`, `ana import NAME --unfollow`",
        "brings a calendar in; with `--follow` it is read every hour from then on; its entries are taken out",
    ),
    (
        "`ana backup FILE`, `ana restore FILE [--yes] [--from NAME]`",
        "everything in one file, conversations and traces included, taken while it is in use; and back",
    ),
    ("`ana traces [--older-than 30d [--purge]]`", "the traces: how many turns, how large; old ones forgotten"),
    (
        "`ana cost [--since 7d] [--json]`",
        "what models cost, by day and model, from the traces; lines that cannot be read are named",
    ),
    (
        "`ana move database\\|folder [--user NAME] [--yes]`",
        "everything of everybody, or of one, into the database of ANA_DATABASE_URL or back: [moving.md](moving.md)",
    ),
    ("`ana reindex [--embeddings NAME]`", "embeds everything again; the old or the new, never neither"),
    ("`ana describe [-s N] [--json]`", "what the store holds"),
    (
        "`ana eval [--tasks FILE\\|GROUP] [--n N] [--repeat K] [--model M] [--judge M] [--json]`",
        "plays tasks, each on a store that is thrown away, and tells how often they are done right; `--picture FILE`"
        " draws it, beside an earlier `--json` with `--compare FILE`; `--langsmith` uploads it;"
        " `--judge` lets another model score the answers, and tells how often the exact checks say the same",
    ),
    (
        "`ana optimize [--n 12] [--repeat K] [--max-demos 8] [--teacher M] [--save FILE]`",
        "plays tasks, and saves as worked examples those turns that help with tasks they were not made from;"
        " the four nearest to a question are shown to the model",
    ),
    (
        "`ana approve [ID] [--yes\\|--no] [--json]`",
        "decides what waits, in whichever conversation: what another assistant wants to change, say; asks of each",
    ),
    (
        "`ana connect [NAME] [--show] [--yes]`",
        "writes what another assistant needs into its settings, beside what stands there, and sees that it starts;"
        " without a name, who is connected and wrote last: [mcp.md](mcp.md)",
    ),
    ("`ana mcp`", "the store for other assistants, over MCP on standard input and output: [mcp.md](mcp.md)"),
    (
        "`ana serve [--host A] [--port N] [--install\\|--uninstall]`",
        "our server, for programs, pages and other people: [people.md](people.md); at another address than 127.0.0.1"
        " only once somebody has a token",
    ),
    (
        "`ana calendar [--new-key]`",
        "where calendar programs and a phone read what has a date, and whether it is served; who has it needs no token",
    ),
    (
        "`ana users list\\|add NAME\\|token NAME\\|link NAME [--url U]\\|remove NAME [--yes]`",
        "who may sign in; a token is printed once, a link is a QR code for a phone; most commands take `--user NAME`",
    ),
    ("`make dev`, `ana dev [--port N] [--thread T]`", "the LangGraph dev server on 127.0.0.1, for [Studio](studio.md)"),
    (
        "`POST /ask`",
        "{question, thread_id?, max_steps?} → {answer, thread_id, trace_id, trace_path, steps, usage, cost_usd, "
        "changes, "
        "receipt}, "
        'or {answer: "", thread_id, pending, steps} while a decision is needed; '
        "trace_path only where nobody has a token; "
        "then {decisions, thread_id, request_id}, the id of what is pending",
    ),
    ("`GET /trace/{id}`", "a turn's record, by its id or the newest of a thread"),
    ("`GET /transcript/{thread}?limit=50&before=TURN`", "turns of a conversation, page by page from its traces"),
    (
        "`GET /forget/{name}`, `POST /forget/{name}?with_items=1`",
        "what would be forgotten with a message or an item; forgets it",
    ),
    ("`POST /sign-in`", "{code} → {person, token}, once: what `ana users link` shows"),
    ("`GET /calendar.ics?key=KEY`", "what has a date and is not done, as a calendar"),
    ("`/mcp`", "the store for other assistants over HTTP, at `ana serve`; the agent as one tool, at `ana dev`"),
    ("`GET /openapi.json`", "all routes of `ana serve`, the LangGraph API's too: [server.md](server.md)"),
    ("`GET /health`, `/version`", "whether it answers, and what it is"),
)


def render_routes() -> str:
    """Return the routes of our server, one line for each endpoint: what its docstring begins with."""
    told = dict.fromkeys(route.endpoint for route in (*API, *ROUTES) if isinstance(route, Route))
    lines = [(endpoint.__doc__ or "").partition("\n")[0].rstrip(".") for endpoint in told]
    return "\n".join(f"- {line}" for line in lines)


def render_not_built() -> str:
    """Return what the LangGraph API has and our server has not."""
    paths = [f"`{route.path.replace(':path}', '}')}`" for route in NOT_BUILT if isinstance(route, Route)]
    return "\n".join(f"- {path}" for path in paths)


def render_doors() -> str:
    return "\n".join(["| door | what for |", "| --- | --- |", *(f"| {door} | {what} |" for door, what in DOORS)])
