"""What is claimed of itemsets, and of data release by learning thresholds."""
