"""Trigram models: interpolated Kneser-Ney models of several sources, mixed, pruned by relative entropy and written as one back-off model.

Chen, Goodman: An empirical study of smoothing techniques (1999), for the models; Stolcke: Entropy-based pruning of backoff language
models (1998). Everything is counted and looked up in sorted arrays of keys `(a * ids + b) * ids + c`.
"""

from dataclasses import dataclass

import numpy as np

from packed import END, FIRST, START, UNKNOWN, Tables, Words

LEAST_WEIGHT = 1e-4
BIGRAM_BYTES, TRIGRAM_BYTES = 5, 3
"""What an entry takes in the file."""


def tokens(sentences: list[list[str]], ids: dict[str, int]) -> np.ndarray:
    """Trigrams of sentences: an array [3, positions] of word ids, one column for each word and each end of a sentence."""
    flat = [START, START]
    for words in sentences:
        flat += [START, START, *(ids.get(word, UNKNOWN) for word in words), END]
    line = np.array(flat, np.int64)
    at = np.flatnonzero(line != START)
    return np.stack([line[at - 2], line[at - 1], line[at]])


def _find(keys: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each wanted key is in the sorted keys, and whether it is there."""
    at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    return at, (keys[at] == wanted) if len(keys) else np.zeros(len(wanted), bool)


def _discounts(numbers: np.ndarray) -> np.ndarray:
    """What modified Kneser-Ney takes from a count of 0, 1, 2 and more, out of how many counts are 1, 2, 3 and 4."""
    n = np.bincount(np.minimum(numbers, 5).astype(np.int64), minlength=6).astype(float)
    if min(n[1:5]) < 10:
        return np.array([0, 0.6, 0.8, 0.9])
    y = n[1] / (n[1] + 2 * n[2])
    return np.clip([0, 1 - 2 * y * n[2] / n[1], 2 - 3 * y * n[3] / n[2], 3 - 4 * y * n[4] / n[3]], 0, [0, 0.95, 1.6, 2.4])


def _level(keys: np.ndarray, numbers: np.ndarray, ids: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of sorted keys that end in a word: their discounted relative frequencies in their context, the contexts, and what is left of each."""
    taken = _discounts(numbers)[np.minimum(numbers, 3).astype(np.int64)]
    contexts, start = np.unique(keys // ids, return_index=True)
    totals = np.add.reduceat(numbers, start)
    left = np.add.reduceat(taken, start) / totals
    size = np.diff([*start, len(keys)])
    return (numbers - taken) / np.repeat(totals, size), contexts, left


class Source:
    """The interpolated model of one source of text, and how often each trigram occurs in it."""

    def __init__(self, trigrams: np.ndarray, ids: int):
        self.ids = ids
        self.keys, self.numbers = np.unique((trigrams[0] * ids + trigrams[1]) * ids + trigrams[2], return_counts=True)
        self.size = self.numbers.sum()
        self.three, self.contexts, self.left = _level(self.keys, self.numbers, ids)
        # A word counts once for each word before it; after the start of a sentence there is only one, so there it counts in full.
        first = self.keys // (ids * ids) == START
        begins = first & (self.keys // ids % ids == START)
        self.pairs, of_pair = np.unique(self.keys % (ids * ids), return_inverse=True)
        numbers = np.bincount(of_pair, np.where(begins, self.numbers, 1))
        two, contexts, left = _level(self.pairs, numbers, ids)
        self.two, self.left_two = two, np.ones(ids)
        self.left_two[contexts] = left
        words, one = np.unique(self.pairs % ids, return_counts=True)
        taken = _discounts(one)[np.minimum(one, 3)]
        self.one = np.full(ids, taken.sum() / one.sum() / ids)
        self.one[words] += (one - taken) / one.sum()

    def bigram(self, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        at, there = _find(self.pairs, b * self.ids + c)
        return np.where(there, self.two[at], 0) + self.left_two[b] * self.one[c]

    def trigram(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        """P(c | a b)."""
        context = a * self.ids + b
        at, there = _find(self.keys, context * self.ids + c)
        where, known = _find(self.contexts, context)
        return np.where(there, self.three[at], 0) + np.where(known, self.left[where], 1) * self.bigram(b, c)


def mixture_weights(sources: list[Source], held_out: np.ndarray, rounds: int = 40) -> np.ndarray:
    """Weights of the sources under which text that none of them has seen is likeliest (EM)."""
    known = held_out[:, held_out[2] != UNKNOWN]
    each = np.stack([source.trigram(*known) for source in sources])
    weights = np.full(len(sources), 1 / len(sources))
    for _ in range(rounds):
        share = weights[:, None] * each
        weights = (share / share.sum(0)).mean(1)
    return weights


@dataclass
class _Candidates:
    """N-grams of one length: keys, probabilities, how often their context is expected, and the size of the id space."""

    keys: np.ndarray
    probability: np.ndarray
    context: np.ndarray


def _gain(found: _Candidates, shorter: np.ndarray, ids: int) -> np.ndarray:
    """How much relative entropy each n-gram is worth: what the model loses if this one is left to back-off (Stolcke, equation 5)."""
    _, start = np.unique(found.keys // ids, return_index=True)
    size = np.diff([*start, len(found.keys)])
    rest = np.repeat(np.maximum(1 - np.add.reduceat(found.probability, start), LEAST_WEIGHT), size)
    rest_shorter = np.repeat(np.maximum(1 - np.add.reduceat(shorter, start), LEAST_WEIGHT), size)
    before, after = np.log(rest / rest_shorter), np.log((rest + found.probability) / (rest_shorter + shorter))
    return -found.context * (found.probability * (np.log(shorter) + after - np.log(found.probability)) + (after - before) * rest)


def _back_off(keys: np.ndarray, probability: np.ndarray, shorter: np.ndarray, ids: int) -> tuple[np.ndarray, np.ndarray]:
    """Contexts and their weights: what the kept entries leave over, divided by what they would have had by backing off."""
    contexts, start = np.unique(keys // ids, return_index=True)
    rest = np.maximum(1 - np.add.reduceat(probability, start), LEAST_WEIGHT)
    return contexts, rest / np.maximum(1 - np.add.reduceat(shorter, start), LEAST_WEIGHT)


def mix(sources: list[Source], weights: np.ndarray, words: list[str], pronunciations: list, size: int, most: int = 5_000_000) -> Tables:
    """One back-off model of the mixture whose n-grams take about `size` bytes; the `most` frequent trigrams are considered."""
    ids = sources[0].ids
    keys = np.unique(np.concatenate([source.keys for source in sources]))
    expected = np.zeros(len(keys))
    for source, weight in zip(sources, weights, strict=True):
        expected[np.searchsorted(keys, source.keys)] += weight / source.size * source.numbers
    history, of_history = np.unique(keys // ids, return_inverse=True)
    expected_history = np.bincount(of_history, expected)
    pairs, of_pair = np.unique(keys % (ids * ids), return_inverse=True)
    known_pair = (pairs // ids != UNKNOWN) & (pairs % ids != UNKNOWN)
    expected_pair = np.bincount(of_pair, expected)
    expected_word = np.bincount(pairs // ids, expected_pair, minlength=ids)
    pairs, expected_pair = pairs[known_pair], expected_pair[known_pair]
    one = sum(weight * source.one for source, weight in zip(sources, weights, strict=True))
    two = sum(weight * source.bigram(pairs // ids, pairs % ids) for source, weight in zip(sources, weights, strict=True))

    fit = (keys // (ids * ids) != UNKNOWN) & (keys // ids % ids != UNKNOWN) & (keys % ids != UNKNOWN)
    fit &= expected >= np.partition(expected, -min(most, len(keys)))[-min(most, len(keys))]
    keys, context = keys[fit], expected_history[of_history[fit]]
    a, b, c = keys // (ids * ids), keys // ids % ids, keys % ids
    three = sum(weight * source.trigram(a, b, c) for source, weight in zip(sources, weights, strict=True))
    gain_three = _gain(_Candidates(keys, three, context), two[np.searchsorted(pairs, b * ids + c)], ids) / TRIGRAM_BYTES
    gain_two = _gain(_Candidates(pairs, two, expected_word[pairs // ids]), one[pairs % ids], ids) / BIGRAM_BYTES
    gains = np.concatenate([gain_three, gain_two])
    order = np.argsort(-gains)
    cost = np.cumsum(np.repeat([TRIGRAM_BYTES, BIGRAM_BYTES], [len(gain_three), len(gain_two)])[order])
    least = max(0.0, gains[order[min(np.searchsorted(cost, size), len(order) - 1)]])
    keep_two, keep_three = gain_two > least, gain_three > least
    pairs, two, keys, three = pairs[keep_two], two[keep_two], keys[keep_three], three[keep_three]

    contexts, weight_two = _back_off(pairs, two, one[pairs % ids], ids)
    back_off = np.zeros(ids)
    back_off[contexts] = np.log(weight_two)
    b, c = keys // ids % ids, keys % ids
    at, there = _find(pairs, b * ids + c)
    shorter = np.where(there, two[at], np.exp(back_off[b]) * one[c])
    histories, weight_three = _back_off(keys, three, shorter, ids)
    return Tables(words, pronunciations, np.log(one), back_off, pairs, np.log(two), histories, np.log(weight_three), keys, np.log(three))


def perplexity(model: Tables, held_out: np.ndarray) -> float:
    """Of the known words and sentence ends of text that the model has not seen, as FORMAT.md defines the probability of a word."""
    ids = len(model.words) + FIRST
    a, b, c = held_out[:, held_out[2] != UNKNOWN]
    at, there = _find(model.trigrams, (a * ids + b) * ids + c)
    where, known = _find(model.histories, a * ids + b)
    pair, has_pair = _find(model.bigrams, b * ids + c)
    shorter = np.where(has_pair, model.bigram[pair], model.unigram_backoff[b] + model.unigram[c])
    return float(np.exp(-np.where(there, model.trigram[at], np.where(known, model.history_backoff[where], 0) + shorter).mean()))


def log_probability(model: Words, a: int, b: int, c: int) -> float:
    """ln P(c | a b) as FORMAT.md defines it."""
    if (a, b, c) in model.trigram:
        return model.trigram[a, b, c]
    weight = model.bigram_backoff.get((a, b), 0.0)
    if (b, c) in model.bigram:
        return weight + model.bigram[b, c]
    return weight + model.unigram_backoff.get(b, 0.0) + model.unigram[c]
