"""An interpolated Kneser-Ney trigram model with back-off, pruned to fit.

Kneser, Ney: Improved backing-off for m-gram language modeling (1995); Chen, Goodman (1999) for the interpolated form.
"""

import math
from collections import Counter
from collections.abc import Iterable

from packed import END, FIRST, START, UNKNOWN, Words

DISCOUNT = 0.75
LEAST_WEIGHT = 1e-4


def count(sentences: Iterable[tuple[list[str], int]], ids: dict[str, int]) -> Counter:
    """Weighted trigram counts; each sentence comes with how often it counts."""
    counts: Counter = Counter()
    for words, weight in sentences:
        line = [START, START, *(ids.get(word, UNKNOWN) for word in words), END]
        for trigram in zip(line, line[1:], line[2:], strict=False):
            counts[trigram] += weight
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


def estimate(trigrams: Counter, words: list[str], pronunciations: list[list[list[int]]], least_trigram: int, least_bigram: int) -> Words:
    """The model; trigrams and bigrams that were counted fewer than `least_*` times are left to back-off."""
    ids = len(words) + FIRST
    context, kinds, bigrams = Counter(), Counter(), Counter()
    for (a, b, c), number in trigrams.items():
        context[a, b] += number
        kinds[a, b] += 1
        # A word counts once for each word before it; after the start of a sentence there is only one, so there it counts in full.
        bigrams[b, c] += number if a == START and b == START else 1
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
        key: (number - DISCOUNT) / context[key[:2]] + DISCOUNT * kinds[key[:2]] / context[key[:2]] * by_two(key)
        for key, number in trigrams.items()
        if number >= least_trigram and UNKNOWN not in key
    }
    # Which bigrams stay is decided by the words' true counts; continuation counts would drop the frequent, fixed pairs.
    true = Counter()
    for (_, b, c), number in trigrams.items():
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
