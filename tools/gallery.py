"""The numbers of the gallery, from the data of its figures: `python -m tools.gallery` writes them.

Between `<!-- numbers of NAME -->` and `<!-- end -->` of docs/gallery.md stands a table of the last
point of every panel; a test compares it with the data.
"""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "gallery.md"
GAMMAS = {"wang-4": 0.001, "wang-8": 0.01, "wang-9": 0.1, "wang-10": 0.5}
LAST = 600_000
"""Steps at the last point."""
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


def table(name: str) -> str:
    """The table of one figure."""
    from hockeystick.figures.wang_composition import composition_figure

    number = int(name.removeprefix("wang-"))
    figure = composition_figure(number, GAMMAS[name], lambda done: None, (LAST,))
    rows = []
    for panel in figure.panels:
        last = {curve.name: curve.y[-1] for curve in panel.curves}
        if not panel.title.startswith("Ratios"):
            rows.append(" | ".join([panel.title, *(f"{last[each]:.4g}" for each in COLUMNS)]))
    return HEAD + "".join(f"| {row} |\n" for row in rows)


def with_table(page: str, name: str) -> str:
    """The page with the table of one figure in its place."""
    place = re.compile(rf"(?<=<!-- numbers of {name} -->\n\n).*?(?=\n<!-- end -->)", re.DOTALL)
    if not place.search(page):
        raise LookupError(f"the gallery has no place for the numbers of {name}")
    return place.sub(lambda _: table(name), page)


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in GAMMAS:
        page = with_table(page, name)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
