"""News at the start of the REPL: a change of the person's zone, and items that are due."""

from ana.handles import DataHandles
from ana.translation import _
from app.due import summarize_due
from app.embedder import suggest_embedder_once
from app.reminding import list_targets
from app.routines.running import find_brief


def list_news(handles: DataHandles) -> list[str]:
    """Return the news as lines; without the day if this morning's brief was already sent to an address."""
    workspace = handles.workspace
    noted = workspace.whereabouts.look(handles.memory, handles.clock)
    brief = find_brief(handles, list_targets(workspace))
    due = (
        [_("Your day came at {time}; /today shows it again.").format(time=f"{brief:%H:%M}")]
        if brief
        else summarize_due(handles)
    )
    return [*filter(None, [noted.sentence]), *due, *filter(None, [suggest_embedder_once(workspace)])]
