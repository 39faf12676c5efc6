"""Deciding privacy: domains, neighbours, laws on all databases, the inequality on all pairs. It knows no paper."""
