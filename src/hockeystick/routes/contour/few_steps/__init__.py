"""Few steps of sampled Gaussians: the contour bent, where losses may be turned in the plane."""
