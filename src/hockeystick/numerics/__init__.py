"""Numbers, whatever they stand for: series, sums of exponentials, quadrature, roots, minima,
binomial laws, the gamma function, rounding."""
