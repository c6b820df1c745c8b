"""An interpolated Kneser-Ney trigram model with back-off, pruned to fit.

Kneser, Ney: Improved backing-off for m-gram language modeling (1995); Chen, Goodman (1999) for the interpolated form.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from packed import END, FIRST, START, UNKNOWN, Words

DISCOUNT = 0.75
LEAST_WEIGHT = 1e-4


@dataclass
class Counts:
    """Trigrams: how often they occurred, and the same with each sentence counted by the weight of its source."""

    seen: Counter = field(default_factory=Counter)
    weighted: Counter = field(default_factory=Counter)

    def discount(self, key: tuple[int, int, int]) -> float:
        """What Kneser-Ney takes from a count, in the unit of the weighted one: a sentence of weight 4 is no more evidence than one."""
        return DISCOUNT * self.weighted[key] / self.seen[key]


def count(sentences: Iterable[tuple[list[str], int]], ids: dict[str, int]) -> Counts:
    """Trigram counts of sentences with their weights."""
    counts = Counts()
    for words, weight in sentences:
        line = [START, START, *(ids.get(word, UNKNOWN) for word in words), END]
        for trigram in zip(line, line[1:], line[2:], strict=False):
            counts.seen[trigram] += 1
            counts.weighted[trigram] += weight
    return counts


def _weights(kept: dict, shorter) -> dict:
    """Back-off weight of each context: what its kept entries leave over, divided by what they would have had by backing off."""
    given, covered = Counter(), Counter()
    for key, value in kept.items():
        given[key[:-1]] += value
        covered[key[:-1]] += shorter(key)
    return {
        context: max(LEAST_WEIGHT, (1 - total) / max(LEAST_WEIGHT, 1 - covered[context])) for context, total in given.items()
    }


def estimate(counts: Counts, words: list[str], pronunciations: list[list[list[int]]], least_trigram: int, least_bigram: int) -> Words:
    """The model; trigrams and bigrams whose weighted count is below `least_*` are left to back-off."""
    ids = len(words) + FIRST
    context, taken, bigrams = Counter(), Counter(), Counter()
    for key, number in counts.weighted.items():
        context[key[:2]] += number
        taken[key[:2]] += counts.discount(key)
        # A word counts once for each word before it; after the start of a sentence there is only one, so there it counts in full.
        bigrams[key[1:]] += counts.seen[key] if key[0] == START and key[1] == START else 1
    total, follow, unigrams = Counter(), Counter(), Counter()
    for (b, c), number in bigrams.items():
        total[b] += number
        follow[b] += 1
        unigrams[c] += 1
    every, seen = sum(unigrams.values()), len(unigrams)
    one = [max(unigrams[i] - DISCOUNT, 0) / every + DISCOUNT * seen / every / ids for i in range(ids)]
    rest = {b: DISCOUNT * follow[b] / total[b] for b in total}
    two = {(b, c): max(number - DISCOUNT, 0) / total[b] + rest[b] * one[c] for (b, c), number in bigrams.items()}

    def by_two(key: tuple[int, int, int]) -> float:
        return two.get(key[1:]) or rest.get(key[1], 1.0) * one[key[2]]

    three = {
        key: (number - counts.discount(key) + taken[key[:2]] * by_two(key)) / context[key[:2]]
        for key, number in counts.weighted.items()
        if number >= least_trigram and UNKNOWN not in key
    }
    # Which bigrams stay is decided by the words' true counts; continuation counts would drop the frequent, fixed pairs.
    true = Counter()
    for (_, b, c), number in counts.weighted.items():
        true[b, c] += number
    kept = {key: value for key, value in two.items() if true[key] >= least_bigram and UNKNOWN not in key}
    weight_two = {key[0]: value for key, value in _weights(kept, lambda key: one[key[1]]).items()}

    def by_kept(key: tuple[int, int, int]) -> float:
        return kept.get(key[1:]) or weight_two.get(key[1], 1.0) * one[key[2]]

    weight_three = _weights(three, by_kept)

    def log(values: dict) -> dict:
        return {key: math.log(value) for key, value in values.items()}

    return Words(words, pronunciations, [math.log(value) for value in one], log(weight_two), log(kept), log(weight_three), log(three))


def log_probability(model: Words, a: int, b: int, c: int) -> float:
    """ln P(c | a b) as FORMAT.md defines it."""
    if (a, b, c) in model.trigram:
        return model.trigram[a, b, c]
    weight = model.bigram_backoff.get((a, b), 0.0)
    if (b, c) in model.bigram:
        return weight + model.bigram[b, c]
    return weight + model.unigram_backoff.get(b, 0.0) + model.unigram[c]


def perplexity(model: Words, sentences: list[list[str]]) -> float:
    """Of the known words and sentence ends in sentences that the model has not seen."""
    ids, total, number = {word: i + FIRST for i, word in enumerate(model.words)}, 0.0, 0
    for words in sentences:
        line = [START, START, *(ids.get(word, UNKNOWN) for word in words), END]
        for a, b, c in zip(line, line[1:], line[2:], strict=False):
            if c != UNKNOWN:
                total, number = total - log_probability(model, a, b, c), number + 1
    return math.exp(total / max(1, number))
