"""Exact accounting inside other libraries: one module for each, which imports that library.

`hockeystick.adapters.opacus`, `.dp_accounting`, `.jax_privacy`, `.flower` and `.pipelinedp`, each
an extra of the same name (`pip install 'hockeystick[opacus]'`), and `.loops` for training loops
without any. Nothing is imported before it is asked for.
"""
