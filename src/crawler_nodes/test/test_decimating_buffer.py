"""Samples of a run of any length in bounded memory."""

from hypothesis import given
from hypothesis import strategies as st

from crawler_nodes.run_log.decimating_buffer import DecimatingBuffer


def filled(count, most=100):
    kept = DecimatingBuffer(most)
    for number in range(count):
        kept.append(number)
    return kept


@given(st.integers(0, 100))
def test_nothing_is_left_out_before_there_are_too_many(count):
    kept = filled(count)
    assert list(kept) == list(range(count))
    assert [weight for weight, _ in kept.weighted()] == [1] * count


@given(st.integers(0, 5000))
def test_there_are_never_too_many_and_those_kept_stand_evenly_for_all(count):
    kept = filled(count)
    assert len(kept) <= 100
    assert list(kept) == [kept[k] for k in range(len(kept))] == sorted(set(kept))
    assert list(kept)[:40] == list(range(min(count, 40)))
    assert list(kept[-20:]) == list(range(max(0, count - 20), count))
    weights = [weight for weight, _ in kept.weighted()]
    assert abs(sum(weights) - count) < max(weights, default=1)
    gaps = {b - a for a, b in zip(kept, list(kept)[1:], strict=False)}
    assert not gaps or max(gaps) <= max(weights)


def test_a_cleared_one_begins_anew():
    kept = filled(1000)
    kept.clear()
    assert not kept
    kept.append(7)
    assert kept[0] == kept[-1] == 7
