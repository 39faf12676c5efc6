"""The plain enumerator: whole runs of a mechanism, one for each way in which its draws and comparisons can fall.

It looks at no code, remembers nothing between runs, and knows no special form: what it is asked for is answered by the
draws that are asked for, and by the conditions of a path on its noise. So it serves code outside the language of
mechanisms, and tells whether faster ways are right. What it cannot follow it refuses, with the reason.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import Any

from dpverify.mechanisms.comparing.call import Calls
from dpverify.mechanisms.comparing.trail import Trail
from dpverify.mechanisms.drawing.distribution_so_far import DistributionSoFar
from dpverify.mechanisms.drawing.failures import call_of, explained_error
from dpverify.mechanisms.drawing.plain_path import PlainPath
from dpverify.mechanisms.functions.hidden_chance import no_hidden_chance
from dpverify.mechanisms.functions.limits import Limits
from dpverify.mechanisms.functions.mechanism import MadeOf, Mechanism
from dpverify.mechanisms.language.compiled import chance_of, form_of
from dpverify.mechanisms.language.numpy_names import drawn_by
from dpverify.mechanisms.numbers.errors import InputError, Interruption, LimitMet, MechanismError, not_known
from dpverify.mechanisms.outputs.distributions import Distribution


class PlainEnumerator:
    """Runs mechanisms on all of their paths, within limits, and counts the `runs`; of no use once it has raised."""

    def __init__(self, limits: Limits, calls: Calls | None = None) -> None:
        self._limits = limits
        self._calls = Calls() if calls is None else calls
        self._gives_up = False
        """True where runs end once more are seen to follow than may be made."""
        self.runs = 0

    @contextmanager
    def looking_out(self, mechanism: Mechanism, parameters: Mapping[str, Any]) -> Iterator[None]:
        """While it lasts, chance from elsewhere than `draw` is refused: people use random or numpy's by mistake.

        Raises `MechanismError` for such chance, and for what writes outside of the process.
        """
        functions = mechanism.functions if isinstance(mechanism, MadeOf) else (mechanism,)
        try:
            chance = chain.from_iterable(chance_of(each, parameters) for each in functions)
            with no_hidden_chance(self._calls.take_note, chance):
                yield
        except InputError as error:
            if isinstance(error, MechanismError):
                raise
            raise explained_error(mechanism, (), error) from error

    def distribution(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any]:
        """The exact output distribution of mechanism(draw, *args, **parameters), from whole runs on all of its paths.

        Sub-mechanisms run as part of the run that draws from them, and independent parts are expanded. Of a round of a
        mechanism that is run, it is found in the midst of the run. Raises as `distribution` does.
        """
        found, trail = DistributionSoFar(), Trail(self._limits.draws)
        try:
            for i in range(self._limits.paths):
                if self._gives_up and i + trail.fewest_paths > self._limits.paths:
                    self.runs += self._limits.paths - i  # as if they had been made
                    break
                self._run(found, trail, mechanism, args, parameters)
                if found.size > self._limits.outcomes:
                    raise LimitMet(not_known.TOO_MANY_OUTCOMES.text(self._limits.outcomes, ""), "outcomes")
                if not trail.advance():
                    return found.finished()
            choices = f" ({len(trail):,} choices on the last one)"
            raise LimitMet(not_known.TOO_MANY_PATHS.text(self._limits.paths, choices, "run it on fewer rows"), "paths")
        except LimitMet as met:
            if met.limit is None:  # a round within it has said how far it came
                raise
            raise LimitMet(f"{call_of(mechanism, args)} {met}; {found.progress}") from None

    def distribution_as_compiled(
        self, mechanism: Mechanism, args: tuple[Any, ...], parameters: Mapping[str, Any]
    ) -> Distribution[Any]:
        """As `distribution`; a mechanism inside the language runs in its compiled form, and gives up early."""
        self._gives_up = True
        form = form_of(mechanism, parameters)
        if form is None:
            return self.distribution(mechanism, args, parameters)
        compiled = form.value(mechanism)
        self._calls.handed = form.handed

        def returned(draw: Any, *args: Any, **parameters: Any) -> Any:
            return form.users(compiled(draw, *args, **parameters))

        with drawn_by(self._calls.draw_now):
            return self.distribution(returned, *form.arguments(args, parameters))

    def _run(
        self,
        found: DistributionSoFar,
        trail: Trail,
        mechanism: Mechanism,
        args: tuple[Any, ...],
        parameters: Mapping[str, Any],
    ) -> None:
        """Run the mechanism on the path that the trail is on, and add what it returns."""
        self.runs += 1
        path = PlainPath(self._calls, trail, self._limits, self.distribution)
        self._calls.running.append(path.whole)
        try:
            outcome = mechanism(path.whole.draw, *args, **parameters)
            if not path.is_rejected:
                found.add(outcome, path)
        except (KeyboardInterrupt, Interruption):
            raise
        except BaseException as error:  # a mechanism may raise anything
            if not path.is_rejected or self._calls.refused is not None:
                raise explained_error(mechanism, args, self._calls.refused or error) from error
        finally:
            self._calls.running.pop()
        if self._calls.refused is not None:
            raise explained_error(mechanism, args, self._calls.refused)
