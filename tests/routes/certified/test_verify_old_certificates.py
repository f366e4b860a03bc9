"""Certificates of form 2 as they were once printed, one for each kind of claim: still proven."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("flint")

from hockeystick.errors import CannotCertify
from hockeystick.routes.certified.reading import read
from hockeystick.routes.certified.verify import verify

FILE = Path(__file__).parent / "data" / "form_2.json"
KEPT = json.loads(FILE.read_text())
SLOW = {"grid", "smoothed", "bent", "split line in arrays", "fixed size", "line of more bits"}
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in KEPT]


@pytest.mark.parametrize("name", NAMES)
def test_still_proven(name: str) -> None:
    certificate = read(json.dumps(KEPT[name]))
    said = [proof["directions"] for proof in certificate["proofs"]]
    lower = max(each["lower"] for each in said[-1] if each["method"] != "milder")
    upper = max(each["upper"] for each in said[0] if each["method"] != "milder")
    assert verify(certificate) == (lower, upper)


@pytest.mark.parametrize("name", [name for name in KEPT if name not in SLOW | {"infinite"}])
def test_no_narrower(name: str) -> None:
    """The upper end moved below the lower one."""
    certificate = read(json.dumps(KEPT[name]))
    for each in certificate["proofs"][0]["directions"]:
        if each["method"] != "milder":
            each["upper"] = each["lower"] - 1e-9
    with pytest.raises(CannotCertify):
        verify(certificate)
