"""Laws that hold for every mechanism, tried on every exported one."""
