"""Questions that were once answered wrongly, here or elsewhere."""
