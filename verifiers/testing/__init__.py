"""The pytest plugin's packages: claims as tests (`items.py`), and what a session finds of them (`session.py`).

It imports pytest alone where it is loaded, and all else of this library, but the command line, when a claim is met.
Begin with `items.py`; the hooks that pytest looks for are in `pytest_plugin.py`.
"""
