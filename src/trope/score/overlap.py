"""`overlap`: the share of the prompt's words that the caption holds. The simplest reader of
captions there is; a model that doesn't beat it has matched words, not meanings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from trope.address import Address
from trope.score import no_rest
from trope.score.faces import Content, Judge

# Words that say nothing of a picture, in the languages of the published benchmarks.
STOP = frozenset(
    """a an and are as at be been but by did do does for from had has have he her his i if in into
    is it its me my not of on or our she so than that the their them then there these they this to
    too up us was we were what when which who will with would you your
    o os um uma e de do da dos das em no na nos nas por para com que se não é foi ao à mais como
    der die das ein eine einen einem einer und ist im den dem des zu zum zur mit auf für von nicht
    er sie es wir ich""".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")


def make(address: Address) -> Overlap:
    no_rest(address)
    address.take({})
    return Overlap()


class Overlap(Judge):
    """Word overlap, lightly lemmatised."""

    cached = False

    def fingerprint(self) -> dict[str, str]:
        return {"name": "overlap", "version": "2"}

    def judge(self, pairs: Sequence[tuple[str, Content]]) -> list[float]:
        seen: dict[str, frozenset[str]] = {}

        def of(text: str) -> frozenset[str]:
            if text not in seen:
                seen[text] = words(text)
            return seen[text]

        scores = []
        for text, content in pairs:
            asked, shown = of(text), of(str(content))
            scores.append(len(asked & shown) / len(asked) if asked else 0.0)
        return scores


def words(text: str) -> frozenset[str]:
    """The lemmas of a text that aren't stop words.

    >>> sorted(words("The dogs are running"))
    ['dog', 'run']
    """
    folded = unicodedata.normalize("NFC", text).casefold()
    return frozenset(lemma(word) for word in _WORD.findall(folded) if word not in STOP)


def lemma(word: str) -> str:
    """A word without its commonest English endings, and without a final e, so that baked, baking
    and bakes all meet bake; short words stay as they are.

    >>> [lemma(word) for word in ("stopped", "parties", "shoes", "glass")]
    ['stop', 'party', 'sho', 'glass']
    """
    word = re.sub(r"['’]s$", "", word)
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        word = word[:-2] if word.endswith(("sses", "xes", "zes", "ches", "shes")) else word[:-1]
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 3:
            doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls"
            word = stem[:-1] if doubled else stem
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
