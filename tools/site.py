"""Hooks of mkdocs: the generated reference, and pages of the repository that are not in `docs`.

The pages of `docs` link to each other as files do, so that they read well on a code host too.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # mkdocs looks for imports beside this file alone

from tools import reference  # noqa: E402

BESIDES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Files of the root that are pages too."""


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are not files of `docs`."""
    from mkdocs.structure.files import File

    for name, text in reference.pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    for name in BESIDES:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name.lower(), content=inside(text)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links out of `docs` lead to the pages made of those files."""
    return outside(markdown)


def inside(text: str) -> str:
    """Links of a file of the root, from where its page is: `docs/` is the top there.

    >>> inside("[map](docs/architecture.md), [how](CONTRIBUTING.md)")
    '[map](architecture.md), [how](contributing.md)'
    """
    return _lowered(re.sub(r"\]\(docs/", "](", text))


def outside(text: str) -> str:
    """Links of a page of `docs` to files of the root.

    >>> outside("[how](../CONTRIBUTING.md#checks)")
    '[how](contributing.md#checks)'
    """
    return _lowered(re.sub(r"\]\(\.\./([A-Z]+\.md)", r"](\1", text))


def _lowered(text: str) -> str:
    names = "|".join(map(re.escape, BESIDES))
    return re.sub(rf"\]\(({names})", lambda link: link[0].lower(), text)
