"""A mechanism of diffprivlib, by lines of JSON: run by a Python that has diffprivlib, which need not have dpverify."""

import json
import sys
from importlib.metadata import version

from diffprivlib import mechanisms

name, given = sys.argv[1], json.loads(sys.argv[2])
for line in sys.stdin:
    asked = json.loads(line)
    if "hello" in asked:
        versions = {package: version(package) for package in ("diffprivlib", "numpy", "scikit-learn")}
        said = {"sampler": f"diffprivlib {name}", "versions": versions}
    else:
        of_rows = name in ("Exponential", "PermuteAndFlip")  # whose rows are utilities
        more = {"utility": asked["rows"]} if of_rows else {}
        mechanism = getattr(mechanisms, name)(random_state=asked["seed"] % 2**32, **given, **more)
        arguments = () if of_rows else (asked["rows"],)
        outcomes = [mechanism.randomise(*arguments) for _ in range(asked["size"])]
        said = {"outcomes": [each.item() if hasattr(each, "item") else each for each in outcomes]}
    print(json.dumps(said), flush=True)
