"""`hockeystick train`: a private model from a CSV file, with its privacy statement."""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hockeystick import numerals
from hockeystick.cli.shared import answer, charging, tabular
from hockeystick.cli.shared.options import NUMBER
from hockeystick.errors import ParameterError

if TYPE_CHECKING:
    from hockeystick.learn.schema import Column, Schema
    from hockeystick.learn.training import Scores, Trained, Training

EXAMPLE = """\
{count} columns are not declared. Say what is publicly known of them, never what the data shows, \
in a file that is given by --schema:

  [columns]
{lines}

or one by one: --bounds "{first}=LOWEST:HIGHEST" for a number, --categories "{first}=ONE,OTHER" \
for a category, --drop "{first}" to leave it out."""


class Undeclared(click.ClickException):
    """Columns of which nothing is declared; the message shows how to."""

    exit_code = 2


@click.command()
@click.argument("data", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@click.option("--target", required=True, help="The column to predict.")
@click.option("--epsilon", type=NUMBER, required=True, help="The epsilon of the guarantee.")
@click.option(
    "--delta", type=NUMBER, default=1e-5, show_default=True, help="Its delta; 0 for pure DP."
)
@click.option(
    "--schema",
    "schema_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Declared bounds and categories of the columns, in TOML or JSON.",
)
@click.option("--bounds", multiple=True, metavar="NAME=LOW:HIGH", help="Declare a number.")
@click.option("--categories", multiple=True, metavar="NAME=A,B,...", help="Declare a category.")
@click.option("--drop", multiple=True, metavar="NAME", help="Leave a column out.")
@click.option("--clip", type=NUMBER, default=1.0, show_default=True, help="The longest gradient.")
@click.option(
    "--noise",
    metavar="NAME",
    help="gaussian, laplace, or a class that another package announces; by --delta if not given. "
    "Where batches take turns: banded, buffered, square-root, tree or independent.",
)
@click.option(
    "--sampler",
    type=click.Choice(["poisson", "without-replacement", "full", "cyclic"]),
    default="poisson",
    show_default=True,
    help="How batches are drawn; cyclic: they take turns, with correlated noise.",
)
@click.option("--batch-size", type=int, default=512, show_default=True)
@click.option("--epochs", type=NUMBER, default=20, show_default=True, help="Passes over the data.")
@click.option("--learning-rate", type=NUMBER, help="1 to classify, 0.25 to regress, if not given.")
@click.option("--momentum", type=NUMBER, default=0.0, show_default=True)
@click.option("--regularisation", type=NUMBER, default=0.0, show_default=True)
@click.option("--population", type=int, help="A public number in place of the number of records.")
@click.option(
    "--relation",
    type=click.Choice(["add-remove", "zero-out", "replace-one"]),
    help="Which data sets are neighbours; the sampler's own if not given. "
    "add-remove needs --population.",
)
@click.option(
    "--test-fraction",
    type=NUMBER,
    default=0.0,
    show_default=True,
    help="Hold out so many records, each by a coin, and print scores on them. NOT private.",
)
@click.option("--seed", type=int, help="For experiments: the same numbers each time. Not private.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Where to save, a folder or a name without suffix; DATA's name if not given.",
)
@click.option("--ledger", metavar="LEDGER", help="Charge the model to a ledger before it trains;")
@click.option("--budget", help="to this budget of it. Exit code 1 if it does not fit.")
@click.option("--by", help="Who spends, for the ledger; the name of the user if not given.")
@click.option("--purpose", help="What for, for the ledger; the name of DATA if not given.")
@click.option("--force", is_flag=True, help="Overwrite a model or statement that is there.")
@tabular.options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.pass_context
def train(
    context: click.Context,
    /,
    data: Path,
    target: str,
    schema_file: Path | None,
    bounds: tuple[str, ...],
    categories: tuple[str, ...],
    drop: tuple[str, ...],
    test_fraction: float,
    seed: int | None,
    output: Path | None,
    force: bool,
    na: tuple[str, ...],
    delimiter: str,
    as_json: bool,
    learning_rate: float | None,
    ledger: str | None,
    budget: str | None,
    by: str | None,
    purpose: str | None,
    **options: Any,
) -> None:
    """Train a private linear model on a CSV file, on standard input if DATA is -, or on a folder of
    Parquet files, which may be larger than memory.

    Numbers are scaled by DECLARED bounds and categories are DECLARED, too: nothing is taken from
    the data without noise. A target with categories is classified, one with bounds is regressed.
    Saves NAME.privacy.txt, what the model is going to cost, and then NAME.model.json.

    \b
    Example:
      hockeystick train adult.csv --target income --epsilon 1 --schema adult.toml
    """
    from hockeystick.learn.schema import Schema
    from hockeystick.learn.training import prepare

    name = "stdin" if str(data) == "-" else data.stem
    place = output / name if output is not None and output.is_dir() else output or Path(name)
    model, statement = (Path(f"{place}{suffix}") for suffix in (".model.json", ".privacy.txt"))
    _check_places(model, statement)
    if not force:
        _check_free(model, statement)
    payer = charging.account(ledger, budget, by, purpose or f"train on {name}")
    schema = Schema() if schema_file is None else Schema.load(schema_file)
    schema = schema.with_columns(_declared(bounds, categories), drop)
    if learning_rate is not None:
        options["learning_rate"] = learning_rate
    if float(options["epochs"]).is_integer():
        options["epochs"] = int(options["epochs"])  # turns are whole
    options["verbose"] = sys.stderr.isatty()
    if data.is_dir() or data.suffix == ".parquet":
        from hockeystick.learn.folder_training import prepare_folder, undeclared

        _check_declared(undeclared(data, schema), schema, target)
        training: Training = prepare_folder(
            data, target, schema, missing=na, test_fraction=test_fraction, rng=seed, **options
        )
        charging.charge(context, payer, training)
        _show(_run(training, model, statement), model, statement, as_json)
        return
    table = tabular.read(data, target, schema.names, na, delimiter)
    _check_declared(table.undeclared(schema), schema, target)
    if not len(table) and options["population"] is None:
        click.echo(f"Warning: {data} has no records, so nothing is learnt", err=True)
    training = prepare(table, target, schema, test_fraction=test_fraction, rng=seed, **options)
    charging.charge(context, payer, training)
    trained = _run(training, model, statement)
    _show(trained, model, statement, as_json)


def _check_places(*places: Path) -> None:
    """Before any privacy is spent on a model that could not be saved."""
    from hockeystick.saving import check_writable

    folder = places[0].parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise click.UsageError(f"--output must be in a folder to write to, got {str(folder)!r}.")
    for place in places:
        check_writable(place)


def _check_free(*places: Path) -> None:
    """A model that is there is not overwritten unasked: it cost privacy."""
    there = [str(place) for place in places if place.is_file()]
    if not there:
        return
    are = f"{' and '.join(there)} {'is' if len(there) == 1 else 'are'} there already"
    if not sys.stdin.isatty():
        raise click.UsageError(f"{are}; --force overwrites, --output takes another place.")
    if not click.confirm(f"{are}. Overwrite?", err=True):
        raise click.UsageError("Nothing was trained.")


def _run(training: Training, model: Path, statement: Path) -> Trained:
    """Train, with the statement written first: what is spent is on record, however it ends."""
    from hockeystick.saving import write_whole

    if training.advice:
        click.echo(f"Warning: {training.advice}", err=True)
    write_whole(statement, str(training.privacy))
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            trained = training.run()
        for each in dict.fromkeys(str(warning.message) for warning in caught):
            click.echo(f"Warning: {each}", err=True)
        trained.model.save(model)
    except BaseException:
        click.echo(f"No model was saved, but what {statement} states may be spent.", err=True)
        raise
    return trained


def _declared(bounds: tuple[str, ...], categories: tuple[str, ...]) -> dict[str, Column]:
    """The columns that options declare."""
    from hockeystick.learn.schema import Category, Number

    columns: dict[str, Column] = {}
    for text in bounds:
        name, _, ends = text.partition("=")
        lower, _, upper = ends.partition(":")
        try:
            ends_read = [numerals.read("a bound", end) for end in (lower, upper)]
        except ParameterError as error:
            raise click.UsageError(f"--bounds must be NAME=LOW:HIGH, got {text!r}.") from error
        try:
            columns[name] = Number(*ends_read)
        except ParameterError as error:
            raise click.UsageError(f"--bounds {text!r}: {error}.") from error
    for text in categories:
        name, _, names = text.partition("=")
        columns[name] = Category(tuple(each.strip() for each in names.split(",")))
    return columns


def _check_declared(missing: list[str], schema: Schema, target: str) -> None:
    if target in schema.drop:
        raise click.UsageError(f"The target {target!r} must not be dropped.")
    if not missing:
        return
    lines = "\n".join(
        f'  {json.dumps(name)} = [LOWEST, HIGHEST]   # a number; for a category: ["one", "other"]'
        for name in missing
    )
    raise Undeclared(EXAMPLE.format(count=len(missing), lines=lines, first=missing[0]))


def _show(trained: Trained, model: Path, statement: Path, as_json: bool) -> None:
    saved = {"model": str(model), "statement": str(statement)}
    if as_json:
        scores = {} if trained.scores is None else {"not_private": _facts(trained.scores)}
        answer.print_json({"privacy": trained.privacy.to_dict(), **saved, **scores})
        return
    click.echo(f"{trained.privacy}\n")
    if trained.scores is not None:
        click.echo("\n".join(_lines(trained.scores)) + "\n")
    click.echo(f"saved {model} and {statement}")


def _facts(scores: Scores) -> dict[str, Any]:
    from hockeystick.learn.training import NOT_PRIVATE

    return {
        "warning": f"{NOT_PRIVATE}.",
        "records": {"train": scores.records[0], "test": scores.records[1]},
        "measure": scores.measure,
        "test_score": scores.private,
        "test_score_without_privacy": scores.without_privacy,
    }


def _lines(scores: Scores) -> list[str]:
    from hockeystick.learn.training import NOT_PRIVATE

    own, plain = (
        "n/a (too few records or classes, or not in memory)" if score is None else f"{score:.4f}"
        for score in (scores.private, scores.without_privacy)
    )
    return [
        f"{NOT_PRIVATE}:",
        f"  trained on {scores.records[0]} records, tested on {scores.records[1]} others",
        f"  test {scores.measure} {own}   of a model without privacy {plain}",
    ]
