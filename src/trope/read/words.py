"""Words as they are compared: what doesn't count is taken away.

Unicode NFKC, small letters, hyphens and slashes as spaces, other punctuation and symbols dropped,
the articles a, an and the dropped, spaces joined.
"""

from __future__ import annotations

import unicodedata

ARTICLES = frozenset(("a", "an", "the"))


def normalised(text: str) -> str:
    """A text without what doesn't count.

    >>> normalised("The Rocket-Ship!")
    'rocket ship'
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    spaced = "".join(" " if c in "-/–—_" else c for c in folded)
    bare = "".join(c for c in spaced if not unicodedata.category(c).startswith(("P", "S")))
    return " ".join(word for word in bare.split() if word not in ARTICLES)
