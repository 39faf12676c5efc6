"""An audit as a whole: its JSON, its summary, its table, and how sharp its bounds are.

It imports the record and its kinds. Begin with `json_form.py`.
"""
