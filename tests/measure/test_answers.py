"""Answers in words: what normalisation forgives, and what nearness adds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.measure.answers import Asked, answered, matches
from trope.read.words import normalised


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The Rocket-Ship!", "rocket ship"),
        ("  an  ELEPHANT. ", "elephant"),
        ("ﬁre\u00a0truck", "fire truck"),
        ("either/or", "either or"),
        ("don't", "dont"),
        ("theatre", "theatre"),
        ("the", ""),
    ],
)
def test_what_does_not_count_is_taken_away(text: str, plain: str) -> None:
    assert normalised(text) == plain


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalised(normalised(text)) == normalised(text)
    assert matches(text, [text.upper().lower(), text])


def test_missing_is_not_wrong_and_the_nearest_right_answer_counts() -> None:
    asked = [
        Asked(("a jet", "a rocket"), "the Rocket", "p1", "secondary"),
        Asked(("fast",), "quick", "p1", "relation"),
        Asked(("a dog",), None, "p2", "primary"),
        Asked(("a cat",), "", "p2", "primary"),
    ]
    table = {("the Rocket", "a jet"): 0.4, ("the Rocket", "a rocket"): 0.9, ("quick", "fast"): 0.7}
    found = answered(asked, similarity=lambda pairs: [table.get(p, 0.0) for p in pairs])
    assert found["accuracy"].value == pytest.approx(1 / 3) and found["accuracy"].missing == 1
    assert found["similarity"].value == pytest.approx((0.9 + 0.7 + 0.0) / 3)
    assert found["accuracy_secondary"].value == 1 and found["accuracy_primary"].missing == 1
    assert "similarity" not in answered(asked)
