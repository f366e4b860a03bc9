"""Mirrors src: tests/<package>/test_<module>.py for each module; `tests.codebase` says how."""
