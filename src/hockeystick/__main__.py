"""`python -m hockeystick` is the command `hockeystick`."""

from hockeystick.cli.main import main

if __name__ == "__main__":
    main(prog_name="hockeystick")
