"""What a handful of ratios entitles the comparison to say."""

from __future__ import annotations

import pytest

from wakeline_ab.compare import Summary, compare
from wakeline_ab.plan import Executor
from wakeline_ab.ratios import Spread, judge, sign_test
from wakeline_ab.rounds import Entrant, Run, entrants, order
from wakeline_ab.run import Samples

SAME = [1.0, 1.01, 0.99]


@pytest.mark.parametrize(
    ("below", "above", "ties", "p"),
    [
        (11, 0, 0, 2 / 2048),
        (10, 1, 0, 24 / 2048),
        (2, 9, 0, 134 / 2048),
        (5, 0, 0, 2 / 32),
        (5, 0, 6, 2 / 32),
        (3, 3, 0, 1.0),
        (0, 0, 4, 1.0),
        (1_400, 1_400, 0, 1.0),
        (1_200, 0, 0, 0.0),
    ],
)
def test_the_sign_test_counts_sides(below: int, above: int, ties: int, p: float) -> None:
    assert sign_test([0.5] * below + [2.0] * above + [1.0] * ties) == pytest.approx(p)


def test_a_spread_is_type_7() -> None:
    spread = Spread.of([4.0, 1.0, 3.0, 2.0])
    assert (spread.low, spread.median, spread.high, spread.pairs) == (1.0, 2.5, 4.0, 4)
    assert (spread.lower_quartile, spread.upper_quartile) == (1.75, 3.25)


@pytest.mark.parametrize(
    ("at", "ratios", "again", "claim", "text"),
    [
        ("p50", [0.2, 0.21, 0.22], SAME, True, "0.21 of the baseline's (0.2 to 0.22, 3 pairs)"),
        ("p50", [0.2, 0.21, 0.22], [1.02, 1.04, 1.04], False, "no claim: A/A differs by 4.0%"),
        ("p50", [0.2, 0.21, 0.22], [0.95, 0.96, 1.0], False, "no claim: A/A differs by 4.0%"),
        ("p90", [1.2, 1.3, 0.9], SAME, False, "no claim: too near to 1 for its spread"),
        ("p90", [0.9, 1.02, 1.4], SAME, False, "no claim: too near to 1 for its spread"),
        ("p90", [0.98, 0.99, 0.97], SAME, True, "no difference above 3%"),
        ("p50", [0.2, 0.21], SAME, False, "no claim: p50 needs 3 pairs, there are 2"),
        ("p50", [1.0], SAME, False, "no claim: p50 needs 3 pairs, there are 1"),
        ("p99", [0.2] * 10, SAME, False, "no claim: p99 needs 11 pairs, there are 10"),
        ("p99", [0.2] * 11, SAME, True, "0.2 of the baseline's"),
        ("p99", [0.2] * 10 + [1.5], SAME, True, "0.2 of the baseline's"),
        ("p99", [0.2] * 9 + [1.5] * 2, SAME, False, "no claim: sign test p = 0.065"),
        ("p99", [0.2] * 11, [0.9] * 11, False, "no claim: A/A differs by 10.0%"),
    ],
)
def test_no_claim_goes_beyond_what_the_pairs_show(
    at: str, ratios: list[float], again: list[float], claim: bool, text: str
) -> None:
    verdict = judge(at, ratios, again)
    assert verdict.claim is claim
    assert verdict.text.startswith(text)


def test_each_run_is_divided_by_the_baseline_of_its_own_round() -> None:
    first, second = Executor("python"), Executor("python-process")
    times = {0: (10.0, 11.0, 5.0), 1: (20.0, 20.0, 30.0)}
    runs = [
        Run(entrant, "asyncio", pair, place, Samples({"wake_recv": [time] * 7}))
        for pair, (baseline, again, other) in times.items()
        for place, (entrant, time) in enumerate(
            [(Entrant(first), baseline), (Entrant(first, again=True), again), (Entrant(second), other)]
        )
    ]
    (comparison,) = compare(runs)
    baseline_row, again_row, other_row = comparison.rows
    assert (baseline_row.name, baseline_row.medians["p50"], baseline_row.ratios) == ("python", 15.0, {})
    assert again_row.ratios["p50"] == pytest.approx([1.1, 1.0])
    assert again_row.verdicts == {}
    assert other_row.ratios["p90"] == [0.5, 1.5]
    assert other_row.verdicts["p50"].text == "no claim: A/A differs by 5.0%"


def test_a_p999_needs_ten_thousand_samples() -> None:
    assert Summary.of([1.0] * 9_999).p999 is None
    assert Summary.of([float(value) for value in range(10_001)]).p999 == 9_990.0


def test_every_entrant_takes_every_place() -> None:
    field = entrants([Executor("python"), Executor("python-process"), Executor("rust")])
    assert [entrant.name for entrant in field] == ["python", "python-process", "python (again)", "rust"]
    rounds = [order(field, pair) for pair in range(4)]
    for entrant in field:
        assert sorted(turn.index(entrant) for turn in rounds) == [0, 1, 2, 3]
