"""Little is remembered where mutants are tried, and what is there is looked for once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.verifiers.auditing.mutation import breakable

from dpverify.verifiers.auditing.mutation.codes import Loaded


@pytest.fixture(scope="module", autouse=True)
def looked_for_once() -> Iterator[None]:
    """What other tests left in memory is forgotten here once, as otherwise in the process of each mutant."""
    loaded = Loaded.now()
    loaded.forget()
    again = breakable.remembered_scale(1), breakable.remembered_also(1), breakable.TABLE.scale
    assert again == breakable.REMEMBERED  # mutants find it remembered
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Loaded, "now", lambda: loaded)
        yield
