"""Data release by learning thresholds, and frequent itemsets."""
