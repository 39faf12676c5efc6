"""All ε at once: the cells and sets of them.

It imports mechanisms' numbers. Begin with `epsilon_sets.py`.
"""
