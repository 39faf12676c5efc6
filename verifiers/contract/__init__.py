"""What a claim asks, as a gate keeps it: its numbers, domain, relation, mutants and wrapper, in texts and digests.

It imports claims and their parts. Begin with `question.py`.
"""
