"""A certificate as text."""

from __future__ import annotations

import json
from typing import Any

from hockeystick.errors import ParameterError


def read(text: str) -> dict[str, Any]:
    """The certificate in a JSON text, or in the answer that has one."""
    try:
        said = json.loads(text)
    except ValueError as error:
        raise ParameterError(f"certificate must be JSON: {error}") from error
    said = said.get("certificate", said) if isinstance(said, dict) else said
    if not isinstance(said, dict) or said.get("form") != 2 or "proofs" not in said:
        raise ParameterError("certificate must be what --certify --json printed, of form 2")
    return dict(_numbers(said))


def _numbers(value: Any) -> Any:
    """Infinity, which JSON has no word for, is printed as text."""
    if isinstance(value, dict):
        return {key: _numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_numbers(each) for each in value]
    return float(value) if value in ("inf", "-inf") else value
