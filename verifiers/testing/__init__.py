"""The pytest plugin's packages: claims as tests (`items.py`), and what a session finds of them (`session.py`).

It imports pytest alone where it is loaded, and all else of this library, but the command line, when a claim is met.
Begin with `items.py`; hooks are in `pytest_plugin.py`. A change costs pytest nothing at start:
`tests/verifiers/test_pytest_plugin.py`.
"""
