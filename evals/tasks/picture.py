"""The figures of one or two reports as a picture."""

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape

from evals.tasks.scores import ALL, Figure

Groups = Mapping[str, Mapping[str, Figure]]

ROW, BAR, MARGIN, WIDE = 46, 15, 130, 420
"""Pixels: a group's height, a bar's, where bars begin, and the length of a bar of 1.0."""

TOP = 72
"""Where the first group begins, below title and legend."""

COLOURS = ("#3b6ea5", "#c9a227")
WRONG = "#d9534f"
"""The colour of the rest of a bar: the runs that were not right."""
_TEXT = '<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{fill}">{text}</text>'


def draw_groups(reports: Mapping[str, Groups]) -> str:
    """Return an SVG with a bar for each group's share of right runs, and in it a mark for pass^k.

    Args:
        reports: The figures by group, by name; the first two are drawn, side by side.
    """
    named = [*reports.items()][:2]
    groups = dict.fromkeys(group for _, every in named for group in every)
    order = [*(group for group in groups if group != ALL), ALL]
    height = TOP + ROW * len(order)
    names = [name for name, _ in named]
    title = f"Tasks done right: {', '.join(names)}"
    lines = [f"<title>{escape(title)}</title>", f'<g font-size="15">{_write(12, 20, title)}</g>', *_draw_legend(names)]
    for row, group in enumerate(order):
        lines += _draw_group(group, [every.get(group, {}) for _, every in named], TOP + ROW * row)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{MARGIN + WIDE + 90}" height="{height}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="#ffffff"/>\n'
        + "\n".join(lines)
        + "\n</svg>\n"
    )


def _draw_legend(names: list[str]) -> Iterator[str]:
    yield _write(12, 40, "share of runs that were right; the line: of tasks of which every repeat was right")
    colours = {name: COLOURS[place] for place, name in enumerate(names)} | {"not right": WRONG}
    for place, (name, colour) in enumerate(colours.items()):
        x = MARGIN + place * WIDE // 3
        yield f'<rect x="{x}" y="50" width="10" height="10" fill="{colour}"/>'
        yield _write(x + 16, 59, name)


def _draw_group(group: str, every: list[Mapping[str, Figure]], top: int) -> Iterator[str]:
    yield _write(MARGIN - 8, top + 20, group.replace("_", " "), anchor="end")
    for place, figures in enumerate(every):
        if (share := figures.get("success_rate")) is None:
            continue
        y, width = top + 5 + place * (BAR + 2), share * WIDE
        whole = MARGIN + (figures.get("pass_k") or 0) * WIDE
        yield f'<rect x="{MARGIN}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{COLOURS[place]}"/>'
        yield f'<rect x="{MARGIN + width:.1f}" y="{y}" width="{WIDE - width:.1f}" height="{BAR}" fill="{WRONG}"/>'
        yield f'<line x1="{whole:.1f}" y1="{y - 1}" x2="{whole:.1f}" y2="{y + BAR + 1}" stroke="#222222"/>'
        yield _write(MARGIN + WIDE + 6, y + 12, f"{share:.2f} ({figures.get('n')})", fill="#555555")


def _write(x: float, y: float, text: str, anchor: str = "start", fill: str = "#222222") -> str:
    return _TEXT.format(x=f"{x:.0f}", y=f"{y:.0f}", text=escape(text), anchor=anchor, fill=fill)
