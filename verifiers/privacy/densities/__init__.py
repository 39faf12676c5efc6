"""Comparing laws whose outcomes hold real numbers: what is decided of two densities, exactly."""
