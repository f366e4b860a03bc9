"""The figures of the papers, one by one."""
