"""Reference values in multiple precision: mpmath only, and nothing imported from the library.

The working precision is mpmath's global one, so callers enter ``mp.workdps(...)`` before they build
a pair: constants such as ``1/b`` are rounded when the pair is made.
"""
