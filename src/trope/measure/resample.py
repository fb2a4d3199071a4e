"""Drawing phrases with replacement, for all measures at once.

A benchmark's sampling unit is the phrase: its items share their pictures and rise and fall
together, so resamples draw whole phrases. Draws are turned into counts and counts into sums
by matrix products, in chunks, so memory does not grow with the number of resamples. Nothing
here knows what the columns mean.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trope.measure.ties import Floats, Ints

RESAMPLES = 2000
_CHUNK = 4_000_000  # counts held at once: 16 MB of float32


def codes(clusters: ArrayLike | None, n: int) -> tuple[Ints, int]:
    """Number the clusters 0, 1, ... and say how many; None makes each item its own."""
    if clusters is None:
        return np.arange(n), n
    seen: dict[object, int] = {}
    numbered = [seen.setdefault(name, len(seen)) for name in np.asarray(clusters).tolist()]
    return np.asarray(numbered, dtype=np.intp), len(seen)


def cluster_sums(matrix: Floats, cluster: Ints, count: int) -> Floats:
    """Sum the rows of each cluster; NaN adds nothing."""
    filled = np.nan_to_num(np.asarray(matrix, dtype=np.float64), nan=0.0)
    columns = [np.bincount(cluster, column, minlength=count) for column in filled.T]
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))


def draws(count: int, resamples: int, seed: int) -> Iterator[NDArray[np.unsignedinteger]]:
    """Chunks of draws, one row a resample: the clusters drawn, as many as there are."""
    rng = np.random.default_rng(seed)
    small = np.uint16 if count <= 65536 else np.uint32
    rows = max(1, min(resamples, _CHUNK // max(count, 1)))
    for start in range(0, resamples, rows):
        size = min(rows, resamples - start)
        yield rng.integers(0, count, size=(size, count), dtype=small)


def _counts(drawn: NDArray[np.unsignedinteger]) -> NDArray[np.float32]:
    """How often each cluster was drawn, one row a resample."""
    size, count = drawn.shape
    if count < 512:
        shifted = drawn + np.arange(size, dtype=np.intp)[:, None] * count
        flat = np.bincount(shifted.ravel(), minlength=size * count)
        return flat.reshape(size, count).astype(np.float32)
    counts = np.empty((size, count), dtype=np.float32)
    for row in range(size):
        counts[row] = np.bincount(drawn[row], minlength=count)
    return counts


def resampled_sums(sums: Floats, resamples: int, seed: int) -> Floats:
    """Column sums of each resample of the rows (the clusters): one row a resample.

    The sums are in float32: callers centre what they sum, so seven digits of a deviation are
    far more than its sampling error. One column is gathered, several are one matrix product.
    """
    light = sums.astype(np.float32)
    drawn = draws(len(sums), resamples, seed)
    if light.shape[1] == 1:
        chunks = [light[:, 0][chunk].sum(axis=1)[:, None] for chunk in drawn]
    else:
        chunks = [_counts(chunk) @ light for chunk in drawn]
    return np.concatenate(chunks).astype(np.float64)


def resampled_means(
    matrix: Floats, cluster: Ints, count: int, *, resamples: int, seed: int
) -> tuple[Floats, Floats]:
    """The mean of each column, and its mean in each resample; NaN is left out of both.

    A resample that draws nothing of a column has NaN there.
    """
    nothing = np.zeros((count, 0))
    return resampled_both(matrix, nothing, cluster, count, resamples=resamples, seed=seed)[:2]


def resampled_both(
    matrix: Floats, beside: Floats, cluster: Ints, count: int, *, resamples: int, seed: int
) -> tuple[Floats, Floats, Floats]:
    """`resampled_means`, and from the same draws the sums of `beside`, one row a cluster."""
    present = ~np.isnan(matrix)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.nansum(matrix, axis=0) / present.sum(axis=0)
    sums = cluster_sums(matrix - centre, cluster, count)
    sizes = cluster_sums(present.astype(np.float64), cluster, count)
    if np.all(sizes == sizes[0]):  # every resample has the same size: nothing to draw
        parts = resampled_sums(np.concatenate([sums, beside], axis=1), resamples, seed)
        base = count * sizes[0]
    else:
        parts = resampled_sums(np.concatenate([sums, beside, sizes], axis=1), resamples, seed)
        base = parts[:, -sizes.shape[1] :]
    width = sums.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = centre + parts[:, :width] / base
    return centre, means, parts[:, width : width + beside.shape[1]]
