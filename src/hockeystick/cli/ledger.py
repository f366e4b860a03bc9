"""`hockeystick ledger`: a team's budgets."""

from __future__ import annotations

import getpass
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from hockeystick.cli.shared import answer, options
from hockeystick.errors import BudgetExceeded, LedgerError

if TYPE_CHECKING:
    from hockeystick.ledger.ledger import Ledger
    from hockeystick.ledger.state import State
    from hockeystick.relation import Relation

FEWEST_FOR_A_CHART = 3
MOST_SHOWN = 20
"""Entries of a budget that are listed, unless all are asked for."""


@click.group()
def ledger() -> None:
    """A team's budgets, in a file or a database.

    LEDGER is the path of a file, sqlite:///PATH or postgresql://USER@HOST/DATABASE.

    \b
    Example:
      hockeystick ledger init budget.db
      hockeystick ledger open budget.db census --epsilon 3 --delta 1e-6 --unit "one person"
      hockeystick ledger spend budget.db census "Gaussian(20)" --by ana --purpose "a table"
      hockeystick ledger show budget.db census
    """


where = click.argument("place", metavar="LEDGER")
name = click.argument("budget", metavar="BUDGET")


def _at(place: str, create: bool = False) -> Ledger:
    from hockeystick.ledger.ledger import Ledger

    return Ledger(place, create=create)


@ledger.command()
@where
def init(place: str) -> None:
    """Make an empty ledger, for its owner's eyes alone."""
    _at(place, create=True)
    click.echo("The ledger is empty. Open a budget with: hockeystick ledger open")


@ledger.command("open")
@where
@name
@click.option("--epsilon", required=True, help="Of all spending together; 1/3 is taken exactly.")
@click.option("--delta", default="0", show_default=True, help="Of all spending together.")
@click.option("--unit", required=True, help='Whom it protects: "one person".')
@options.relation
@click.option("--mode", type=click.Choice(["adaptive", "planned"]), default="adaptive")
@click.option("--filter", type=click.Choice(["auto", "renyi", "gdp", "basic"]), default="auto")
@click.option("--plan", metavar="EXPR", help="All that a planned budget will be spent on.")
@click.option("--partition", metavar="KEY", help="What divides the records, known without them.")
def open_(place: str, budget: str, relation: Relation | None, **how: Any) -> None:
    """Open a budget.

    An adaptive budget may be spent as one likes: each spending may depend on earlier answers. Its
    filter is gdp (for Gaussian noise alone), renyi or basic; auto is renyi, and basic where delta
    is 0. A planned budget is for what --plan says alone, and that is accounted for exactly.
    """
    from hockeystick.relation import ADD_REMOVE

    entry = _at(place).open(budget, relation=relation or ADD_REMOVE, **how)
    click.echo(
        f"{budget} is open  (entry {entry.number}; filter: {entry.content['rule']['filter']})"
    )


@ledger.command()
@where
@name
@options.expression
@click.option("--by", help="Who spends; the name of the user if not given.")
@click.option("--purpose", required=True, help="What for.")
@click.option("--key", help="The same key again is the same spending, charged once.")
@click.option("--part", default="", help="Of a partitioned budget: the part that is looked at.")
@click.option("--delta", help="Of a basic budget: how much of its delta this may take.")
@click.pass_context
def spend(
    context: click.Context, /, place: str, budget: str, expression: str, by: str | None, **how: Any
) -> None:
    """Charge EXPR, before it is released. Exit code 1 if it does not fit."""
    books = _at(place)
    try:
        entry = books.spend(budget, expression, by=by or getpass.getuser(), **how)
    except BudgetExceeded as error:
        click.echo(f"Refused: {error}", err=True)
        context.exit(1)
    said = "was charged before" if entry.repeated else "is charged"
    click.echo(f"{expression} {said}  (entry {entry.number}; {books.used(budget):.2%} spent)")


@ledger.command()
@where
@click.argument("budget", metavar="[BUDGET]", required=False)
@click.option("--all", "all_entries", is_flag=True, help=f"All entries, not the last {MOST_SHOWN}.")
@options.json
def show(place: str, budget: str | None, all_entries: bool, as_json: bool) -> None:
    """What is spent and left, over time, and by whom."""
    from hockeystick.ledger.export import statement

    books = _at(place)
    states = [books.show(each) for each in ([budget] if budget else books.budgets())]
    if as_json:
        answer.print_json({state.opened.budget: statement(state) for state in states})
        return
    if not states:
        click.echo("No budget is open.")
    for state in states:
        _print(state, None if all_entries else MOST_SHOWN)


@ledger.command()
@where
@name
@options.expression
@click.option("--part", default="", help="Of a partitioned budget: the part that is looked at.")
@click.option("--delta", help="Of a basic budget: how much of its delta this may take.")
@click.pass_context
def left(context: click.Context, /, place: str, budget: str, expression: str, **how: Any) -> None:
    """How often EXPR would still pass. Exit code 1 if not even once."""
    times = _at(place).left(budget, expression, **how)
    click.echo(f"{times} times")
    context.exit(0 if times else 1)


@ledger.command()
@where
@click.option("--head", help="A hash that was the last one at some time: it must still be there.")
@click.pass_context
def verify(context: click.Context, place: str, head: str | None) -> None:
    """Check every entry again. Exit code 1 if one was changed or is gone."""
    books = _at(place)
    try:
        found = books.verify(head)
    except LedgerError as error:
        click.echo(f"Broken: {error}", err=True)
        context.exit(1)
    click.echo(f"{found.entries} entries of {found.budgets} budgets are as they were written.")
    click.echo(f"The last hash, to be kept elsewhere: {found.head}")


FORMATS = ("jsonl", "csv", "statement", "statement-json")


@ledger.command()
@where
@click.argument("budget", metavar="[BUDGET]", required=False)
@click.option("--format", "kind", type=click.Choice(FORMATS), default="jsonl", show_default=True)
@click.option("--output", type=options.OutputFile(), help="A file; standard output if not given.")
def export(place: str, budget: str | None, kind: str, output: str | None) -> None:
    """All entries, or a statement for people, of one budget or all."""
    from hockeystick.ledger import export as writing
    from hockeystick.saving import write_csv, write_whole

    books = _at(place)
    if kind == "csv":
        write_csv(output, writing.COLUMNS, writing.rows(books.entries(budget)))
        return
    if kind == "jsonl":
        text = "\n".join(writing.lines(books.entries(budget)))
    else:
        names = [budget] if budget else books.budgets()
        said = [writing.statement(books.show(each)) for each in names]
        pages = map(writing.page, said)
        text = json.dumps(said, indent=2) if kind == "statement-json" else "\n\n\n".join(pages)
    if output is None:
        click.echo(text)
    else:
        write_whole(output, text)


def _print(state: State, most: int | None) -> None:
    from hockeystick.cli.shared import tables

    said, rule = state.opened.content, state.rule
    click.echo(f"{state.opened.budget}: ({state.epsilon}, {state.delta})-DP", nl=False)
    click.echo(f" for {said['unit']}, {said['relation']}, {said['mode']}")
    click.echo(f"{_bar(state.used)} {state.used:.2%} spent  (filter {rule.name}: {rule.sentence})")
    entries = state.spendings
    if len(entries) >= FEWEST_FOR_A_CHART:
        _chart(state)
    heads = ("entry", "time", "by", "purpose", "part", "expression")
    shown = entries[-most:] if most else entries
    rows = [
        (str(each.number), *(str(each.content[head] or "") for head in heads[1:])) for each in shown
    ]
    tables.show(heads, rows, numbers=(0,))
    if len(shown) < len(entries):
        click.echo(f"... and {len(entries) - len(shown)} before; --all lists them")
    click.echo()


def _bar(used: float, width: int = 40) -> str:
    full = min(width, round(used * width))
    return "█" * full + "░" * (width - full)


def _chart(state: State) -> None:
    """How much of the budget each spending left spent: what the filter counts, no guarantee."""
    from hockeystick.cli.shared import canvas

    spent = state.running()
    first = datetime.fromisoformat(state.opened.content["time"])
    days = [
        (datetime.fromisoformat(each.content["time"]) - first).total_seconds() / 86400
        for each in state.spendings
    ]
    click.echo("part of the budget spent, by days since it was opened:")
    for line in canvas.plot([([0.0, *days], [0.0, *spent])], height=8):
        click.echo(line)
