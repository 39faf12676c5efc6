"""Numbers as mechanisms are given them: whole ones with exact quotients, unknown ones, and checks of parameters.

It imports `numbers/` alone. Begin with `whole_numbers.py`; what an unknown number does is listed in
`unknown_numbers.py`.
"""
