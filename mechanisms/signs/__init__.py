"""Places where functions of one variable change their signs, and a symbolic ε, of which numbers are such functions.

It imports `numbers/` alone. Begin with `symbolic_epsilon.py`.
"""
