"""`hockeystick serve`: a guarantee, and a budget, in the browser."""

from __future__ import annotations

import click

from hockeystick.cli.shared import answer, options, timeout

PORT = 8765
"""Unless another is asked for."""
NEEDED = ("starlette", "uvicorn")
"""Of the extra."""


@click.command()
@click.argument("place", metavar="[LEDGER]", required=False)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Where to listen; 0 takes a free one.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Whom to listen to; one that others reach makes a token, printed once.",
)
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@options.json
@click.option(
    "--timeout",
    "seconds",
    type=options.NUMBER,
    metavar="SECONDS",
    help=f"End after so long, with exit code {timeout.EXIT_CODE}.",
)
def serve(
    place: str | None,
    port: int,
    host: str,
    no_open: bool,
    as_json: bool,
    seconds: float | None,
) -> None:
    """A page in the browser, on this machine, until Ctrl-C.

    LEDGER, as of the command ledger, shows its budgets as well; nothing is ever written to it. A
    JSON object has the address of the page and the token.

    \b
    Example:
      hockeystick serve
      hockeystick serve budget.db --port 8000 --no-open
    """
    try:
        from hockeystick.page.serve import serve as run
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        raise ModuleNotFoundError(
            "the page needs starlette and uvicorn: pip install 'hockeystick[page]'"
        ) from error
    if place is not None:
        from hockeystick.ledger.ledger import Ledger

        Ledger(place)  # one that is not there is said at once
    if seconds is not None:
        from hockeystick.checks import finite_positive

        finite_positive("timeout", seconds)
    say = _as_json if as_json else _in_words
    in_time = run(place, host=host, port=port, show=not no_open, say=say, seconds=seconds)
    if not in_time:
        raise timeout.TimedOut(f"stopped after {seconds:g} seconds, as --timeout asks")


def _as_json(address: str, token: str | None) -> None:
    answer.print_json({"address": address, "token": token})


def _in_words(address: str, token: str | None) -> None:
    click.echo(f"The page is at {address}/{f'#token={token}' if token else ''}")
    if token:
        click.echo("Whoever has this address may ask. It is not shown again, nor encrypted.")
    click.echo("Ctrl-C ends it.")
