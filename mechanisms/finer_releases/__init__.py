"""The release before post-processing: noises, where what is computed from them has no law in closed form.

It imports output distributions, and the packages below them. Begin with `finer.py`. A change keeps a finer release at
least as much as what is computed from it: `tests/verifiers/deciding/test_before_post_processing.py`.
"""
