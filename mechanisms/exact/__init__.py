"""Exact real numbers: what they are made of, their signs, bounds and roots, and ε as a symbol."""

from dpverify.mechanisms.exact import elementary as elementary  # which gives the numbers their exp, log and sqrt
