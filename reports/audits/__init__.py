"""An audit as a whole: its JSON, its summary and its table.

It imports the record and its kinds. Begin with `json_form.py`. A change keeps JSON that validates against the schema,
and reads what was written before: `tests/reports/audits`.
"""
