"""``python -m benchmarks.fuzz --seed N --minutes M [--json FILE] [--aimed SHARE]``."""

from benchmarks.fuzz.run import main

if __name__ == "__main__":
    main()
