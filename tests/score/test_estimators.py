"""The arithmetic from logits to a number, against scipy and against plain sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special

from trope.address import parse
from trope.errors import InputError, UnknownName
from trope.score.estimators import (
    OPTIONS,
    Estimator,
    estimator,
    form_ids,
    is_form,
    log_softmax,
    log_sum,
)

rows = arrays(np.float64, (3, 7), elements=st.floats(-40, 40))


@given(rows)
def test_logs_are_scipys(logits: np.ndarray) -> None:
    np.testing.assert_allclose(log_softmax(logits), special.log_softmax(logits, axis=1), atol=1e-9)
    np.testing.assert_allclose(log_sum(logits), special.logsumexp(logits, axis=1), atol=1e-9)


@given(rows)
def test_p_yes_is_the_sum_of_probabilities_and_leaves_room_for_other_words(
    logits: np.ndarray,
) -> None:
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    made = Estimator("p_yes").from_logits(logits, [1, 4], [2])
    np.testing.assert_allclose(made, shares[:, [1, 4]].sum(axis=1), rtol=1e-9, atol=1e-300)
    assert ((made >= 0) & (made <= 1)).all()


@given(rows, st.floats(-30, 30))
def test_yes_no_is_a_difference_of_logs_and_shifts_with_no_constant(
    logits: np.ndarray, shift: float
) -> None:
    one = Estimator("yes_no").from_logits(logits, [0], [3])
    np.testing.assert_allclose(one, logits[:, 0] - logits[:, 3], atol=1e-9)
    np.testing.assert_allclose(
        Estimator("yes_no").from_logits(logits + shift, [0], [3]), one, atol=1e-9
    )


def test_half_precision_logits_are_widened_before_anything_is_summed() -> None:
    logits = np.array([[10.0, 9.0, 0.0] + [0.0] * 997], dtype=np.float16)
    wide = logits.astype(np.float64)
    expected = np.exp(wide[0, 0]) / np.exp(wide).sum()
    assert Estimator("p_yes").from_logits(logits, [0], [1])[0] == pytest.approx(expected)


def test_a_sum_over_nothing_is_no_probability() -> None:
    assert log_sum([]) == -np.inf
    assert log_sum([-np.inf, -np.inf]) == -np.inf
    assert Estimator("p_yes").answer(-np.inf, 0.0) == 0.0


def test_yes_no_stays_finite_where_one_word_has_no_probability() -> None:
    assert math.isfinite(Estimator("yes_no").answer(-np.inf, -0.1))
    assert Estimator("yes_no").answer(-np.inf, -0.1) < Estimator("yes_no").answer(-20, -0.1)


def test_surface_forms_are_found_in_every_spelling_of_a_vocabulary() -> None:
    vocabulary = {"Yes": 5, "▁Yes": 3, "Ġyes": 9, "YES": 1, "yesterday": 2, "▁": 0, "Ġno": 7}
    assert form_ids(vocabulary, "yes") == [1, 3, 5, 9]
    assert form_ids(vocabulary, "no") == [7]
    assert form_ids(vocabulary, "sim") == []


def test_a_vocabulary_of_bytes_is_read_through_its_own_spelling() -> None:
    spelled = {"nÃ£o": 4, "ĠnÃ£o": 6, "não": 8}
    written = {"nÃ£o": "não", "ĠnÃ£o": " não"}
    assert form_ids(spelled, "não", written=lambda t: written.get(t, t)) == [4, 6, 8]


@pytest.mark.parametrize("token", ["Yes.", "yesyes", "", " ", "ye", "y es"])
def test_what_is_not_the_word_alone_is_no_form_of_it(token: str) -> None:
    assert not is_form(token, "yes")


def test_from_tokens_takes_a_word_that_was_not_listed_as_none_and_none_at_all_as_missing() -> None:
    listed = {"Yes": -0.5, " yes": -1.5, "Maybe": -2.0}
    assert Estimator("p_yes").from_tokens(listed) == pytest.approx(math.exp(-0.5) + math.exp(-1.5))
    assert Estimator("p_yes").from_tokens({"No": -0.1}) == 0.0
    assert math.isnan(Estimator("p_yes").from_tokens({"Maybe": -0.1}))
    assert math.isnan(Estimator("yes_no").from_tokens({}))


def test_likelihood_takes_alpha_times_the_texts_own_likelihood_away() -> None:
    assert Estimator("likelihood").likelihood([-1.0, -2.5], [-9.0]) == -3.5
    assert Estimator("likelihood", alpha=1.0).likelihood([-1.0, -2.5], [-4.0]) == 0.5


def test_the_fingerprint_names_what_decides_the_number_and_nothing_else() -> None:
    assert Estimator("p_yes", alpha=0.3).fingerprint() == {"estimator": "p_yes", "yes": "yes"}
    assert Estimator("likelihood", alpha=0.3).fingerprint() == {
        "estimator": "likelihood",
        "alpha": "0.3",
    }
    assert Estimator("yes_no", yes="sim", no="não").fingerprint()["no"] == "não"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("alpha=0.5", "alpha belongs to estimator=likelihood"),
        ("estimator=likelihood&alpha=much", "alpha must be a number of at least 0"),
        ("estimator=likelihood&alpha=-1", "alpha must be a number of at least 0"),
        ("estimator=likelihood&alpha=nan", "alpha must be a number of at least 0"),
        ("yes=No", "two different words"),
        ("yes=", "two different words"),
    ],
)
def test_options_that_make_no_sense_get_a_sentence(options: str, words: str) -> None:
    address = parse(f"vqa:x?{options}")
    with pytest.raises(InputError, match=words):
        estimator(address, address.take(OPTIONS))


def test_an_unknown_estimator_is_met_with_the_nearest() -> None:
    address = parse("vqa:x?estimator=pyes")
    with pytest.raises(UnknownName, match="p_yes"):
        estimator(address, address.take(OPTIONS))
