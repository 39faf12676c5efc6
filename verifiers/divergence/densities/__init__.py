"""Laws whose outcomes hold real numbers, compared: what is decided of two densities, exactly.

It imports tables, finite and every ε. Begin with `comparison.py`, then `mixture_components.py`.
"""
