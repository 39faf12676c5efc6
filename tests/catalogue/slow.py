"""The claims that the tests decide on fewer inputs than an audit does."""

ON_FEWER_INPUTS = frozenset(
    [
        "BuNS-2.24.utility.empirical",
        "BuNS-3.2.utility.direct-sum",
        "BuNS-3.7.utility.choice-of-labelings",
        "BNS-J-3.14.utility.short",
        "BNS-J-3.15.utility.promise",
        "BNS-J-3.18.utility.empirical",
        "BNS-J-4.6.utility.e2",
        "BNS-J-5.3.utility.empirical",
        "BNS-J-KLNRS.utility.empirical",
        "CHS-Cor1.utility.itemsets",
        "CHS-Cor2.utility.shells",
        "CHS-Thm3.utility.items-kept",
        "HRS-4.3.utility.agreement",
        "HRS-5.3.utility.sparse-signs",
        "HRS-5.10.utility.pac",
    ]
)
"""Utility claims that take long, and of which no cheaper one says the same: each time they are decided on fewer inputs,
in `test_on_fewer_inputs.py`, and on all in `make audit`."""
