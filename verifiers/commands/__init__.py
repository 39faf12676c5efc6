"""The commands of `dpverify`, one module each, and the options that they share.

It imports every package of verifiers but the plugin's. Begin with `checking.py`. A change keeps options, exit statuses
and one line for each mistake: `tests/verifiers/commands`, `docs/errors.md`.
"""
