"""Numbers, without a word about privacy: series, roots, rounding, quadrature."""
