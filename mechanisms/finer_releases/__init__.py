"""The finer release: noises before what is computed from them, where that has no law in closed form.

It imports laws, and the packages below them. Begin with `finer.py`.
"""
