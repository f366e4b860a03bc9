"""`hockeystick verify`: a certificate, proven again."""

from __future__ import annotations

import click

from hockeystick.cli.shared import answer, options, reading


@click.command()
@click.argument("certificate", type=click.Path(dir_okay=False, allow_dash=True))
@options.json
def verify(certificate: str, as_json: bool) -> None:
    """Prove a CERTIFICATE again, without planning.

    CERTIFICATE is what --certify --json printed. - reads it from standard input. Exit code 2 if a
    claim does not hold.

    \b
    Example:
      hockeystick epsilon "Gaussian(2)" --delta 1e-5 --certify --json | hockeystick verify -
    """
    from hockeystick.routes.certified.reading import read
    from hockeystick.routes.certified.verify import verify as prove

    said = read(reading.content(certificate))
    lower, upper = prove(said)
    name = said["asked"]
    if as_json:
        answer.print_json({name: upper, "lower": lower, "upper": upper, "certified": True})
    else:
        least, most = answer.at_least(lower), answer.at_most(upper)
        click.echo(f"{name} = {most}  (at least {least}; proven again)")
