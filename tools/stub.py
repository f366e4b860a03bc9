"""What type checkers see of the package: `python -m tools.stub` writes `__init__.pyi`.

The names are those that `__init__.py` finds when it runs; those of mechanisms and samplers come
from the names of their files.
"""

from __future__ import annotations

from pathlib import Path

import hockeystick

PLACE = Path(hockeystick.__file__).with_suffix(".pyi")
STUB = '''"""Written by `python -m tools.stub`, for type checkers: what `__init__.py` finds."""

{imports}

__version__: str
HOMES: dict[str, str]
MECHANISMS: dict[str, str]
SAMPLERS: dict[str, str]
PATTERNS: dict[str, str]
MODULES: tuple[str, ...]

__all__ = [
{names}
]
'''


def stub() -> str:
    """The text of the stub."""
    homes = dict.fromkeys(hockeystick.MODULES, "hockeystick") | hockeystick.HOMES
    pairs = sorted((home, name) for name, home in homes.items())
    imports = [f"from {home} import {name} as {name}" for home, name in pairs]
    names = [f'    "{name}",' for name in hockeystick.__all__]
    return STUB.format(imports="\n".join(imports), names="\n".join(names))


if __name__ == "__main__":
    PLACE.write_text(stub(), encoding="utf-8")
