"""The divergence of two densities, exactly: output distributions whose outcomes hold real numbers.

It imports tables, finite and every ε. Begin with `comparison.py`, then `mixture_components.py`. A change keeps δ equal
to integrals by hand: `tests/verifiers/divergence/densities`.
"""
