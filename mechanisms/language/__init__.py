"""The language of mechanisms: what a mechanism may contain, a reader of source, and the compiled form that runs.

A mechanism is read before it is run. What is in the tables has a meaning that depends on values alone; what is not in
them is outside, and is reported with its line.

It imports numbers, noise and output distributions, and nothing that draws. Begin with `tables.py`, then `reader.py`.
A change keeps that nothing passes from one run to another: an entry says why it is sound, and has a test.
"""
