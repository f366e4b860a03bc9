"""The page in a real browser: Debian's Chromium, driven by its own driver, without a window."""
