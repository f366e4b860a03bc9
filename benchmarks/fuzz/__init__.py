"""Random questions over the whole expression language, judged by independent oracles.

``python -m benchmarks.fuzz --seed N --minutes M`` asks questions in processes of their own and
prints every answer that is wrong, vacuous, slow or large, and every crash, as a line of Python.
"""
