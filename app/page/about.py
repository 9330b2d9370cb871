"""About me: each line of Global Context with its date and the words that led to it; a person can edit each line."""

from ana.workspace.personal import list_fixed, save_settings
from app.knowing import explain_lines
from app.page.visits import Page, Visit


def show(visit: Visit) -> Page:
    """GET /app/about."""
    return Page("about.html", lines=explain_lines(visit.handles))


def add(visit: Visit) -> str:
    """POST /app/about: {text}."""
    visit.handles.memory.append_line(visit.read("text"), visit.by)
    return visit.go_on("/about")


def change(visit: Visit) -> str:
    """POST /app/about/{line}: {text, digest}, the digest of the line that was shown; or {delete}."""
    memory, line = visit.handles.memory, int(visit.find("line"))
    shown = {line: visit.read("digest")}
    if "delete" in visit.form:
        memory.delete_line(line, visit.by, shown)
    else:
        memory.replace_line(line, visit.read("text"), visit.by, shown)
    return visit.go_on("/about")


def introduce(visit: Visit) -> str:
    """POST /app/welcome: {name, ana_timezone, ana_language}: who the person is, where, and how they speak."""
    workspace = visit.opened.workspace
    known = {"ana_timezone": visit.handles.clock.zone_name, "ana_language": "en"}
    free = known.keys() - list_fixed(workspace)
    if changed := {name: visit.read(name) for name in free if visit.read(name) not in ("", known[name])}:
        save_settings(workspace, changed)
    if name := visit.read("name"):
        visit.handles.memory.append_line(f"Name: {name}", visit.by)
    return visit.go_on("/chat/new")
