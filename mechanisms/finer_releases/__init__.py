"""The finer release: noises before what is computed from them, where that has no law in closed form.

It imports laws, and the rooms below them. Begin with `finer.py`.
"""
