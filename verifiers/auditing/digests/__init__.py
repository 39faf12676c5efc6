"""The question of a claim, as a gate stores it: numbers, domain, relation, mutants and wrapper, in texts and digests.

It imports claims and their parts. Begin with `question.py`. A change of them is a change of every baseline:
`tests/verifiers/auditing/digests`.
"""
