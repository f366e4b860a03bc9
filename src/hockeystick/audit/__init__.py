"""Audits: what a mechanism's outputs themselves say of its ε, at some confidence.

`lower_bound` runs a mechanism many times on two neighbouring inputs and looks for an event that one
of them makes more likely; `in_one_run` runs a training once, with many canaries that take part or
not by coins. Either shows that ε is at least something, whatever was claimed; neither shows that a
mechanism is private.
"""

from __future__ import annotations

from hockeystick.audit.one_run import OneRun, in_one_run
from hockeystick.audit.two_inputs import Audit, lower_bound

__all__ = ["Audit", "OneRun", "in_one_run", "lower_bound"]
