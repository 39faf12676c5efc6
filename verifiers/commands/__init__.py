"""The commands of `dpverify`, one module each, and the options that they share.

It imports every room of verifiers but the plugin's. Begin with `checking.py`.
"""
