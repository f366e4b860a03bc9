"""Docstrings as the site shows them: an extension of griffe, which mkdocstrings reads code with."""

from __future__ import annotations

from typing import Any

from griffe import Class, Extension, Object

from tools.reference import call, markdown

ADAPTERS = "hockeystick.adapters."
"""Not on the site's reference, and importing them takes the libraries that they are for."""


class AsMarkdown(Extension):
    """Turns every docstring into Markdown when it has been read."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value)

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Fields that are declared make an `__init__` that is not written down anywhere."""
        if cls.path.startswith(ADAPTERS):
            return
        if cls.docstring and cls.parent and cls.parent.is_module and not cls.name.startswith("_"):
            made = call(cls.path)
            if made:
                cls.docstring.value = f"```python\n{made}\n```\n\n{cls.docstring.value}"
