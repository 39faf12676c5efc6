"""Lower bounds, run: hard instances, the best mechanism on them, and implemented ones, in one table."""
