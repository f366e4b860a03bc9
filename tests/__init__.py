"""The tests; oracles hold their independent truth."""
