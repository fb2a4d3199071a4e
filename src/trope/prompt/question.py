"""Questions that a model answers with yes or no."""

from __future__ import annotations

# AdMIRe paper, section 6.1: the question of its VQAScore method, word for word.
ADMIRE = (
    "Does this figure show the meaning of {phrase} in the sentence: {sentence}? "
    "Please answer yes or no."
)
# The same question without its sentence, for items that have none (AdMIRe B, IRFL, Compun). The
# paper gives no wording for these; this one is ours.
MEANING = "Does this figure show the meaning of {phrase}? Please answer yes or no."
# VQAScore (Lin et al., 2024), its default question.
VQASCORE = 'Does this figure show "{phrase}"? Please answer yes or no.'

QUESTIONS: dict[str, str] = {"question": ADMIRE, "meaning": MEANING, "vqascore": VQASCORE}
