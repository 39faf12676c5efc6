"""Exact real numbers: what they are made of, their signs, bounds and roots, and ε as a symbol."""
