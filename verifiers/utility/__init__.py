"""Deciding utility: probabilities of failure, summed exactly, enumerated or fuzzed. It knows no paper."""
