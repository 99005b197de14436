"""Taking turns: every round runs each executor once and the baseline twice, each round in another order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wakeline_ab.plan import Executor, Plan
from wakeline_ab.processes import RunFailed
from wakeline_ab.run import Samples, measure


@dataclass(frozen=True)
class Entrant:
    """An executor's part in a comparison. `again` is the baseline's second run of a round, the A of A/A."""

    executor: Executor
    again: bool = False

    @property
    def name(self) -> str:
        """The executor's name, told apart from its own second run."""
        return f"{self.executor.name} (again)" if self.again else self.executor.name


@dataclass(frozen=True)
class Run:
    """One turn: of which entrant, on which loop, in which round (the pair) and at which place of it."""

    entrant: Entrant
    loop: str
    pair: int
    place: int
    samples: Samples


def entrants(executors: Sequence[Executor]) -> list[Entrant]:
    """Those who take turns. The baseline's second run is as far from its first as other runs are."""
    named = [Entrant(executor) for executor in executors]
    middle = (len(named) + 1) // 2
    return [*named[:middle], Entrant(executors[0], again=True), *named[middle:]]


def order(field: Sequence[Entrant], pair: int) -> list[Entrant]:
    """The order of round `pair`: each one begins with the next entrant."""
    first = pair % len(field)
    return [*field[first:], *field[:first]]


def run_all(plan: Plan, say: Callable[[str], None], turn: Callable[..., Samples] = measure) -> list[Run]:
    """Every run of `plan`, or RunFailed: a run that fails takes the others with it."""
    runs: list[Run] = []
    field = entrants(plan.executors)
    total = plan.pairs * len(plan.loops) * len(field)
    for pair in range(plan.pairs):
        for loop in plan.loops:
            for place, entrant in enumerate(order(field, pair)):
                say(f"{len(runs) + 1}/{total} {loop} {entrant.name}")
                try:
                    samples = turn(plan, entrant.executor, loop)
                except RunFailed as failure:
                    where = f"round {pair + 1}, {loop}, {entrant.name}"
                    raise RunFailed(f"{where}: {failure}") from failure
                runs.append(Run(entrant, loop, pair, place, samples))
    return runs
