"""Laws of the privacy loss, one by one."""
