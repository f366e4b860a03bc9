"""A command that charges a ledger before it runs."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

import click

from hockeystick.errors import BudgetExceeded

if TYPE_CHECKING:
    from hockeystick.learn.training import Training
    from hockeystick.ledger.account import Account


def account(ledger: str | None, budget: str | None, by: str | None, purpose: str) -> Account | None:
    """Who pays; None: nobody keeps a ledger."""
    if (ledger is None) != (budget is None):
        raise click.UsageError("--ledger and --budget are given together.")
    if ledger is None or budget is None:
        return None
    from hockeystick.ledger.ledger import Ledger

    return Ledger(ledger).account(budget, by=by or getpass.getuser(), purpose=purpose)


def charge(context: click.Context, payer: Account | None, training: Training) -> None:
    """Before anything is written or trained."""
    if payer is None:
        return
    privacy = training.privacy
    try:
        payer.spend(privacy.mechanism, privacy.plan.relation)
    except BudgetExceeded as error:
        click.echo(f"Refused: {error}", err=True)
        context.exit(1)
