"""Output of items: a table, their number, and why each was found."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo

from ana.memory.few_words import call_property, describe_property, show_text, show_value
from ana.memory.item import Item, to_json
from ana.memory.search.fit import NOTHING_FITS, keep_fitting
from ana.memory.search.result import QueryResult
from ana.memory.sources import is_others
from ana.memory.views import localize, tell_own_time
from ana.output import tell
from ana.time.dates import day_of
from ana.translation import _
from ana.values import Json
from app.show.tables import show_table
from app.show.text import shorten


def localize_matches(matches: QueryResult, zone: tzinfo) -> QueryResult:
    """Return the result with all times in a zone."""
    return replace(matches, items=[localize(item, zone) for item in matches.items])


def show_items(
    items: Sequence[Item],
    why: Sequence[str] | None = None,
    title: str | None = None,
    *,
    year: int | None = None,
    ids: bool = True,
) -> None:
    """Print a table: id, content, date, other properties, source, and why each was found.

    Args:
        why: Why each was found; None: omit it.
        title: A line above.
        year: The year to omit from dates.
        ids: Whether to show ids, which only shell commands accept.
    """
    dates = [show_date(item, year) for item in items]
    rows = [
        (item.id, shorten(item.content, 160), when, describe_properties(item.properties, year))
        for item, when in zip(items, dates, strict=True)
    ]
    sources = [describe_source(item) for item in items]
    columns = {name: texts for name, texts in ((_("from"), sources), (_("why"), why)) if texts and any(texts)}
    whys = [*zip(*columns.values(), strict=True)] or [()] * len(rows)
    headers = ("id", _("content"), _("date"), _("properties"), *columns)
    cells = [(*row, *more)[not ids :] for row, more in zip(rows, whys, strict=True)]
    show_table(headers[not ids :], cells, title, ("id", _("date")), first=int(ids))


def show_date(item: Item, year: int | None) -> str:
    """Return an item's date, and in brackets the same time in the item's own zone if that differs."""
    return (show_value(item.date, year) if day_of(item.date) else "") + tell_elsewhere(item)


def tell_elsewhere(item: Item) -> str:
    """Return in brackets an item's shown date in the item's own zone."""
    own = tell_own_time(item.zone, item.date)
    return f" ({own})" if own else ""


def tell_status(item: Item) -> str:
    """Return a status in brackets; nothing if it is simply active."""
    status = item.properties.get("status")
    return f" ({show_text(status)})" if isinstance(status, str) and status != "active" else ""


def describe_source(item: Item) -> str:
    """Return an item's source; empty for the person."""
    return name_source(item.source) if is_others(item.source) else ""


def name_source(source: str) -> str:
    """Return the name of a source for people."""
    kind, space, name = source.partition(" ")
    return f"{_(kind)}{space}{name}"


def describe_sources(item: Item) -> list[str]:
    """Return the sources of an item's parts except the person: text: import, due date: paste."""
    sources = {"text": item.sources.content, **item.sources.properties}
    parts = [f"{call_property(name)}: {name_source(source)}" for name, source in sources.items() if is_others(source)]
    is_one = len({*sources.values()}) == 1 and len(sources) > len(item.properties)
    return [describe_source(item)] if parts and is_one else parts


def show_matches(matches: QueryResult, why: bool = False, *, year: int | None = None, ids: bool = True) -> None:
    """Print a query's results without weak ones; on standard error print how many of how many.

    Args:
        why: Whether to show why each was found.
        year: The year to omit from dates.
    """
    if matches.items:
        title = _(NOTHING_FITS) if matches.fitting == 0 else None
        matches = keep_fitting(matches)
        reasons = explain(matches) if why else []
        show_items(matches.items, reasons if any(reasons) else None, title, year=year, ids=ids)
        tell(_("{n} of {total}").format(n=len(matches.items), total=matches.total))
    else:
        tell(f"{_('Nothing was found.')} {matches.explain()}".rstrip())
    if matches.unread:
        tell(matches.unread)


def explain(matches: QueryResult) -> list[str]:
    """Return in a few words why each item was found."""
    return [", ".join(_format_reason(each.to_json())) for each in matches.reasons]


def matches_to_json(matches: QueryResult, why: bool) -> dict[str, object]:
    """Return the JSON object with items, total, truncated and, if requested, why each was found."""
    result: dict[str, object] = {
        "items": [to_json(item) for item in matches.items],
        "total": matches.total,
        "truncated": matches.truncated,
    }
    return result | ({"why": [each.to_json() for each in matches.reasons]} if why else {})


def _format_reason(reason: Mapping[str, object]) -> Iterator[str]:
    """Yield the parts of a reason in words: vector similarity, shared words and their score, and so on."""
    for name, value in reason.items():
        if isinstance(value, tuple):
            yield _("words {words} {score}").format(words=" ".join(value), score=reason.get("share", 0))
        elif name != "share":
            yield _(name) if value is True else f"{_(name)} {value}"
        elif "words" not in reason:
            yield _("like words {score}").format(score=value)


def describe_properties(properties: Mapping[str, Json], year: int | None) -> str:
    """Return the properties except the due date, which has its own column."""
    others = [(name, value) for name, value in properties.items() if name != "due_date" and value is not None]
    return " · ".join(describe_property(name, value, year) for name, value in others)
