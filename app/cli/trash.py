"""`ana trash`: list, restore and purge deleted items, lines and conversations."""

from collections.abc import Collection
from typing import Annotated

import typer

from ana.handles import DataHandles, open_data
from ana.memory.backend import RecordKey
from ana.memory.changes import Entry
from ana.memory.receipts import describe_change, make_receipt
from ana.memory.trash import list_deleted, purge, restore
from ana.output import tell
from ana.threads.ids import is_thread_id
from ana.workspace import Workspace
from app.cli.ages import moment_before
from app.mentions import Mentions, list_texts, name_unreached, remove_lines
from app.serving import refuse_while_serving
from app.show.confirm import require_consent
from app.show.tables import show_table
from app.show.text import pluralize, say, shorten
from app.startup import start

trash = typer.Typer(help="Deleted items, lines and conversations: list, restore, purge.")


@trash.callback(invoke_without_command=True)
def _default(
    context: typer.Context,
    purge: Annotated[bool, typer.Option("--purge", help="Permanently delete what is older than --older-than.")] = False,
    older_than: Annotated[str, typer.Option(help="An age: 30d, 4w.")] = "30d",
    with_conversations: Annotated[
        bool, typer.Option("--with-conversations", help="With --purge: also conversations that mention it.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before conversations are deleted.")] = False,
) -> None:
    if context.invoked_subcommand is not None:
        return
    if purge:
        purge_trash(start(), older_than, with_conversations=with_conversations, yes=yes)
    elif with_conversations:
        raise typer.BadParameter("--with-conversations needs --purge.")
    else:
        list_trash()


@trash.command("list")
def list_trash() -> None:
    """List everything in the trash, latest first."""
    workspace = start()
    with open_data(workspace, "ana trash") as handles:
        gone = list_deleted(handles.memory)
    rows = [(each.ts, each.name, shorten(each.item.content, 160)) for each in gone]
    for each in workspace.open_thread_store().list_trash():
        turns = pluralize(len(each.trace.splitlines()), "turn")
        about = shorten(f"a conversation, {turns}: {each.question}", 160)
        rows.append((each.ts, each.name or each.thread[:8], about))
    if rows:
        cells = [(id, content, handles.clock.minute(ts)) for ts, id, content in sorted(rows, reverse=True)]
        show_table(("id", "content", "deleted"), cells, fixed=("id", "deleted"), first=1)
    else:
        say("The trash is empty.")


@trash.command("restore")
def restore_item(
    words: Annotated[
        list[str], typer.Argument(metavar="NAME", help="An item's id, line 3, or a conversation's name or id.")
    ],
) -> None:
    """Restore something from the trash."""
    workspace, name = start(), " ".join(words)
    threads = workspace.open_threads()
    if threads.find_deleted(name):
        thread = threads.restore(name)
        say(f"The conversation {thread.name or thread.id[:8]} is restored, with {pluralize(thread.turns, 'turn')}.")
        return
    with open_data(workspace, "ana trash") as handles:
        say(f"  {describe_change(make_receipt(restore(handles.memory, name), handles.clock.zone))}")


def purge_trash(workspace: Workspace, older_than: str, *, with_conversations: bool, yes: bool) -> None:
    """Delete permanently what was deleted longer ago than an age such as 30d, so that no file contains it.

    Raises:
        UserError: It is not an age, or the person does not agree.
        StoreBusy: A server or another program is using a conversation.
    """
    with open_data(workspace, "ana trash") as handles:
        before = moment_before(older_than, handles.clock).isoformat(timespec="microseconds")
        records = {each.key for each in list_deleted(handles.memory) if each.ts < before}
        conversations = {each.id for each in workspace.open_thread_store().list_trash() if each.ts < before}
        # conversations first: which ones mention the records can only be told as long as those are known
        if with_conversations:
            conversations |= _purge_mentions(handles, records, conversations, yes=yes)
        else:
            workspace.open_threads().purge(conversations)
        kinds = [record.kind for record in purge(handles.memory, before, records)]
    counts = [pluralize(kinds.count("item"), "item"), pluralize(kinds.count("line"), "line")]
    counts += [pluralize(len(conversations), "conversation")]
    sentences = [f"Deleted permanently: {', '.join(counts)}."]
    if kinds and not with_conversations:
        sentences.append("Messages about them stay.")
    tell(" ".join(sentences + name_unreached(workspace)))


def _purge_mentions(handles: DataHandles, records: set[RecordKey], conversations: set[str], *, yes: bool) -> set[str]:
    """Delete mentions of records, and conversations, and return the deleted conversations."""
    refuse_while_serving(handles.workspace, "purge")
    named = (entry for id in {id for _, id in records} for entry in handles.memory.history(id=id))
    entries = [entry for entry in named if entry.change.key in records]
    mentions = Mentions({*list_texts(entries), *(entry.change.id for entry in entries)})
    chosen = conversations | _find_conversations(handles.workspace, entries, mentions)
    if not chosen and not records:
        return chosen
    require_consent(
        f"Delete {pluralize(len(chosen), 'conversation')}, all typed lines and the server's list of runs permanently?",
        yes=yes,
    )
    handles.workspace.open_threads().purge(chosen)
    handles.workspace.typed_file.unlink(missing_ok=True)
    remove_lines(handles.workspace, mentions)
    return chosen


def _find_conversations(workspace: Workspace, entries: Collection[Entry], mentions: Mentions) -> set[str]:
    """Return the ids of threads that changed or mention records, including deleted threads and orphaned traces."""
    threads = workspace.open_threads()
    changed = {entry.thread for entry in entries if entry.thread}
    known = {*threads.store.ids(), *filter(is_thread_id, workspace.open_traces().ids())}
    of_changed = {deleted.id for deleted in threads.store.list_trash() if deleted.thread in changed}
    return (changed & known) | of_changed | threads.find_mentions(mentions.are_in)
