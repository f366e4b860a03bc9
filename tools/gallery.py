"""The numbers of the gallery, from the data of its figures: `python -m tools.gallery` writes them.

Between `<!-- numbers of NAME -->` and `<!-- end -->` of docs/gallery.md stands a table of the last
point of every panel, or one of the largest gaps; a test compares it with the data.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "gallery.md"
GAMMAS = {"wang-4": 0.001, "wang-8": 0.01, "wang-9": 0.1, "wang-10": 0.5}
LAST = 600_000
"""Steps at the last point."""
STEPS = LAST // 16, LAST // 4, LAST
"""A game that is played through fewer steps too is as near as in the picture."""
COLUMNS = (
    "strong composition",
    "Rényi upper bound (Theorem 9)",
    "hockeystick, upper end",
    "hockeystick, lower end",
)
HEAD = (
    "| after 600 000 steps | strong composition | Theorem 9 | exact, upper | exact, lower |\n"
    "| --- | --- | --- | --- | --- |\n"
)

ENDS = "upper bound (Theorem 9)", "lower bound (Proposition 20)"
GAP_HEAD = "| γ | largest gap | 1/(1 − γ) | where |\n| --- | --- | --- | --- |\n"


def table(name: str) -> str:
    """The table of one figure."""
    from hockeystick.figures.wang_composition import composition_figure

    number = int(name.removeprefix("wang-"))
    figure = composition_figure(number, GAMMAS[name], lambda done: None, STEPS)
    rows = []
    for panel in figure.panels:
        last = {curve.name: curve.y[-1] for curve in panel.curves}
        if not panel.title.startswith("Ratios"):
            rows.append(" | ".join([panel.title, *(f"{last[each]:.4g}" for each in COLUMNS)]))
    return HEAD + "".join(f"| {row} |\n" for row in rows)


def gaps() -> str:
    """How far Theorem 9 is above the lower bound of the paper at most, and where, for each γ."""
    from hockeystick.figures.papers.wang import RENYI
    from hockeystick.figures.wang_rdp import rdp_figure

    rows = []
    for number, gamma in RENYI.items():
        found = []
        for panel in rdp_figure(number, gamma, lambda done: None).panels:
            upper, lower = (next(c for c in panel.curves if c.name == each) for each in ENDS)
            ratios = zip(upper.y, lower.y, upper.x, strict=True)
            found.append(max((top / bottom, order, panel.title) for top, bottom, order in ratios))
        gap, order, title = max(found)
        rows.append(f"| {gamma:g} | {gap:.1f} | {1 / (1 - gamma):.3g} | {title}, α = {order:g} |\n")
    return GAP_HEAD + "".join(rows)


def slope() -> float:
    """Of strong composition of σ = 1 at γ = 0.001, both axes logarithmic, where the figure ends."""
    from hockeystick.figures.wang_composition import composition_figure

    figure = composition_figure(4, GAMMAS["wang-4"], lambda done: None, (LAST // 2, LAST))
    panel = next(each for each in figure.panels if each.title.startswith("(d)"))
    before, last = next(c.y for c in panel.curves if c.name == COLUMNS[0])
    return math.log2(last / before)


def with_table(page: str, name: str) -> str:
    """The page with the table of one figure, or of the gaps, in its place."""
    place = re.compile(rf"(?<=<!-- numbers of {name} -->\n\n).*?(?=\n<!-- end -->)", re.DOTALL)
    if not place.search(page):
        raise LookupError(f"the gallery has no place for the numbers of {name}")
    return place.sub(lambda _: gaps() if name == "gaps" else table(name), page)


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in (*GAMMAS, "gaps"):
        page = with_table(page, name)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
