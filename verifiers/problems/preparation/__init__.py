"""All that is prepared of a question: its databases, the pairs of them, and their laws, a second time too.

It imports `questions/` and `neighbours/`. Begin with `experiment.py`; the second time is in `repetition.py`.
"""
