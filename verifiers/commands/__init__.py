"""The commands of `dpverify`, one module each, and the options that they share.

It imports every package of verifiers but the plugin's. Begin with `checking.py`.
"""
