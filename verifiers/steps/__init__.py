"""What decides a step of a proof: an inequality for all parameters in ranges, by certified subdivision."""
