"""`hockeystick predict`: what a trained model says of each record of a CSV file."""

from __future__ import annotations

from pathlib import Path

import click

from hockeystick import saving
from hockeystick.cli.shared import answer, options, tabular


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument(
    "data", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)
@click.option("-o", "--output", type=options.OutputFile(), help="CSV file of the predictions.")
@tabular.options
@options.json
def predict(
    model: Path, data: Path, output: str | None, na: tuple[str, ...], delimiter: str, as_json: bool
) -> None:
    """Predict the target of each record of DATA, a CSV file or - for standard input.

    MODEL is what `hockeystick train` saved. The target may be missing in DATA, and columns that
    the model does not use are ignored. One prediction for each record, in order, under the name
    of the target. It costs no privacy of those that the model was trained on; of the people in
    DATA a prediction tells what their records tell.

    \b
    Example:
      hockeystick predict people.model.json new.csv -o predicted.csv
    """
    from hockeystick.learn.model import Model

    trained = Model.load(model)
    table = tabular.read(data, None, trained.schema.names, na, delimiter)
    predicted = trained.predict(table).tolist()
    if output is not None or not as_json:
        saving.write_csv(output, (trained.target,), ([each] for each in predicted))
    if as_json:
        answer.print_json({"target": trained.target, "predictions": predicted, "data": output})
