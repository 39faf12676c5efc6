"""Problems: databases, their neighbours, the question about them, and what is prepared to answer it.

It imports mechanisms alone. Begin with `problems/questions/question.py`, then `neighbours/neighbours.py`. A change
keeps questions, which a gate stores: `tests/verifiers/problems`.
"""
