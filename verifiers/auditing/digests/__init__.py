"""The question of a claim, as a gate stores it: numbers, domain, relation, mutants and wrapper, in texts and digests.

It imports claims and their parts. Begin with `question.py`. A change keeps the digests of users' baselines, or
translates them in `mechanisms/renames.py`: `tests/verifiers/auditing/digests`.
"""
