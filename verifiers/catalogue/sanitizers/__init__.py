"""Claims of sanitizers: that few rows may stand for many, how many are needed, and how dimensions bound it.

`histograms/`, `labels/` and `thresholds/` are its pieces, of a concept class each.

It imports its topic, and those before. Begin with `histograms/`.
"""
