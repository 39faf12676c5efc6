"""Bounds on laws of algorithms whose quality is known within a band alone: of RecConcave, step by step.

It imports mechanisms alone. Begin with `enclosing.py`.
"""
