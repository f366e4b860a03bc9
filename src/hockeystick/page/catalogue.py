"""All resources by name; a new one is a file in `resources/`, which this finds."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from hockeystick.page import resources
from hockeystick.page.resource import Resource


@cache
def catalogue() -> dict[str, Resource]:
    """By path, such as "epsilon" or "budgets/{name}".

    >>> catalogue()["epsilon"].method
    'POST'
    """
    files = [each.name for each in pkgutil.iter_modules(resources.__path__)]
    modules = [import_module(f"{resources.__name__}.{name}") for name in files]
    return {module.RESOURCE.path: module.RESOURCE for module in modules}
