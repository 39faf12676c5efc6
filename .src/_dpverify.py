"""Nothing, and it is to stay: it is what pytest finds when it looks which modules of the wheel are those of a plugin.

Where it finds none, as dpverify is a folder without an `__init__`, it takes what lies in that folder for modules, and
warns in each run that one called `__main__` is loaded already.
"""
