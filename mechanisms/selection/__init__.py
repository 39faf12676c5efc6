"""Private selection: exponential, noisy max, stability, choosing, large margin, sparse vector; and composition."""
