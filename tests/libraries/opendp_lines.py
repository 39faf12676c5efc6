"""OpenDP's Laplace mechanism, by lines of JSON: run by a Python that has opendp, which need not have dpverify."""

import json
import sys
from importlib.metadata import version
from typing import Any

import opendp.prelude as dp

dp.enable_features("contrib")


def measurement(kind: str, scale: float) -> Any:
    """One of a vector of numbers, so that many draws are one."""
    atoms = dp.atom_domain(T=int) if kind == "int" else dp.atom_domain(T=float, nan=False)
    distance = dp.l1_distance(T=int if kind == "int" else float)
    return dp.m.make_laplace(dp.vector_domain(atoms), distance, scale=scale)


draw = measurement(sys.argv[1], float(sys.argv[2]))
for line in sys.stdin:
    asked = json.loads(line)
    if "hello" in asked:
        said = {"sampler": f"opendp Laplace, {sys.argv[1]}", "versions": {"opendp": version("opendp")}}
    else:
        said = {"outcomes": draw([asked["rows"]] * asked["size"])}
    print(json.dumps(said), flush=True)
