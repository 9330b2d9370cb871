"""Items as people see them: a table, how many of how many, and why each was found."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo

from ana.memory.few_words import call_property, describe_property, show_value
from ana.memory.item import Item, to_json
from ana.memory.search.fit import NOTHING_FITS, keep_fitting
from ana.memory.search.found import Found
from ana.memory.sources import is_others
from ana.memory.views import localize, tell_own_time
from ana.output import tell
from ana.time.dates import day_of
from ana.translation import _
from ana.values import Json
from app.show.tables import show_table
from app.show.text import shorten


def localize_found(found: Found, zone: tzinfo) -> Found:
    """Return what was found with every moment in a zone."""
    return replace(found, items=[localize(item, zone) for item in found.items])


def show_items(
    items: Sequence[Item],
    why: Sequence[str] | None = None,
    title: str | None = None,
    *,
    year: int | None = None,
    ids: bool = True,
) -> None:
    """Print a table: id, content, date, the other properties, from whom it is, and why each was found.

    Args:
        why: Why each was found; None leaves that out.
        title: A line above.
        year: The year that days are shown without.
        ids: Whether ids are shown: only the shell's commands take them.
    """
    dates = [show_date(item, year) for item in items]
    rows = [
        (item.id, shorten(item.content, 160), when, describe_properties(item.properties, year))
        for item, when in zip(items, dates, strict=True)
    ]
    told = [describe_source(item) for item in items]
    columns = {name: texts for name, texts in ((_("from"), told), (_("why"), why)) if texts and any(texts)}
    whys = [*zip(*columns.values(), strict=True)] or [()] * len(rows)
    headers = ("id", _("content"), _("date"), _("properties"), *columns)
    shown = [(*row, *more)[not ids :] for row, more in zip(rows, whys, strict=True)]
    show_table(headers[not ids :], shown, title, ("id", _("date")), first=int(ids))


def show_date(item: Item, year: int | None) -> str:
    """Return an item's own date, and in brackets when that is in the zone that the item keeps, if it is another."""
    return (show_value(item.date, year) if day_of(item.date) else "") + tell_elsewhere(item)


def tell_elsewhere(item: Item) -> str:
    """Return in brackets when the date of an item, as people are shown it, is in the zone that it keeps."""
    own = tell_own_time(item.zone, item.date)
    return f" ({own})" if own else ""


def describe_source(item: Item) -> str:
    """Return from whom an item is; empty if it is the person's."""
    return name_source(item.source) if is_others(item.source) else ""


def name_source(source: str) -> str:
    """Return what a source is called."""
    kind, space, name = source.partition(" ")
    return f"{_(kind)}{space}{name}"


def describe_sources(item: Item) -> list[str]:
    """Return from whom an item is, each part that is not the person's: text: import, due date: paste."""
    told = {"text": item.sources.content, **item.sources.properties}
    parts = [f"{call_property(name)}: {name_source(source)}" for name, source in told.items() if is_others(source)]
    is_one = len({*told.values()}) == 1 and len(told) > len(item.properties)
    return [describe_source(item)] if parts and is_one else parts


def show_found(found: Found, why: bool = False, *, year: int | None = None, ids: bool = True) -> None:
    """Print what a query found, without what has little to do with it; on standard error how many of how many.

    Args:
        why: Whether to tell why each was found.
        year: The year that days are shown without.
    """
    if found.items:
        title = _(NOTHING_FITS) if found.fitting == 0 else None
        found = keep_fitting(found)
        reasons = explain(found) if why else []
        show_items(found.items, reasons if any(reasons) else None, title, year=year, ids=ids)
        tell(_("{n} of {total}").format(n=len(found.items), total=found.total))
    else:
        tell(f"{_('Nothing was found.')} {found.why_none}".rstrip())
    if found.unread:
        tell(found.unread)


def explain(found: Found) -> list[str]:
    """Return for each item in a few words why it was found."""
    return [", ".join(_format_reason(each.to_json())) for each in found.reasons]


def found_to_json(found: Found, why: bool) -> dict[str, object]:
    """Return what is one object in JSON: items, total, truncated, and why each was found where that is wanted."""
    result: dict[str, object] = {
        "items": [to_json(item) for item in found.items],
        "total": found.total,
        "truncated": found.truncated,
    }
    return result | ({"why": [each.to_json() for each in found.reasons]} if why else {})


def _format_reason(reason: Mapping[str, object]) -> Iterator[str]:
    """Yield the parts of a reason in words: how alike the vectors are, the shared words and their score, and so on."""
    for name, value in reason.items():
        if isinstance(value, tuple):
            yield _("words {words} {score}").format(words=" ".join(value), score=reason.get("share", 0))
        elif name != "share":
            yield _(name) if value is True else f"{_(name)} {value}"
        elif "words" not in reason:
            yield _("like words {score}").format(score=value)


def describe_properties(properties: Mapping[str, Json], year: int | None) -> str:
    """Return the properties but the due date, which has a column of its own."""
    told = [(name, value) for name, value in properties.items() if name != "due_date" and value is not None]
    return " · ".join(describe_property(name, value, year) for name, value in told)
