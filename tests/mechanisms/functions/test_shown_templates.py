"""Places of noise and of parts in outcomes are shown in words, and not as this library holds them."""

from fractions import Fraction

import pytest
from tests.internal_names import internal_names

from dpverify.mechanisms import discrete_laplace, distribution, laplace
from dpverify.mechanisms.numbers.shown import shown
from dpverify.mechanisms.outputs.released import ReleasedDistribution
from dpverify.mechanisms.outputs.released_parts import PART_SLOT
from dpverify.mechanisms.outputs.templates import Slot


def test_names_of_this_library_are_seen() -> None:
    assert internal_names("returned (RealSlot(frame=Frame(rows=((1,),), ties=()), place=0), 1)") == {
        "RealSlot",
        "Frame",
    }
    assert not internal_names("limits=Limits(paths=3), Fraction(1, 2), Tuples((0, 1), size=1), Name(x=1)")


@pytest.mark.parametrize("noise", [laplace(1), discrete_laplace(1)])
def test_noise_in_an_outcome_is_shown_as_noise(noise: object) -> None:

    law = distribution(lambda draw, n: ("a", (n + draw(noise), n)), 3)
    assert isinstance(law, ReleasedDistribution)
    (template,) = law.released
    assert shown(template) == "('a', (<noise>, 3))"
    assert shown((Slot(Fraction(0), Fraction(1)), PART_SLOT)) == "(<noise>, <part>)"
