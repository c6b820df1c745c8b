"""Which letter makes which phones: each letter of a word is given nothing, one phone or two, by expectation maximisation."""

import math
from collections import Counter, defaultdict

from phones import without_stress

Chunk = tuple[str, ...]
FLOOR = -14.0


def first_guess(words: list[tuple[str, list[str]]]) -> dict[tuple[str, Chunk], float]:
    """How often a letter and a phone stand at about the same place."""
    together: Counter[tuple[str, str]] = Counter()
    letters: Counter[str] = Counter()
    phones: Counter[str] = Counter()
    for word, pronunciation in words:
        for i, letter in enumerate(word):
            at = round(i * (len(pronunciation) - 1) / max(1, len(word) - 1))
            letters[letter] += 1
            for phone in pronunciation[max(0, at - 1) : at + 2]:
                together[letter, phone] += 1
                phones[phone] += 1
    total = sum(phones.values())
    return {
        (letter, (phone,)): math.log(count / letters[letter]) - 0.5 * math.log(phones[phone] / total) - 2
        for (letter, phone), count in together.items()
    }


def align(word: str, pronunciation: list[str], score: dict[tuple[str, Chunk], float]) -> tuple[float, list[tuple[int, int]]]:
    """The likeliest cut of the pronunciation into one chunk for each letter, as (start, end), and its log probability."""
    width = len(pronunciation)
    best = [[-1e9] * (width + 1) for _ in range(len(word) + 1)]
    back = [[0] * (width + 1) for _ in range(len(word) + 1)]
    best[0][0] = 0.0
    for i, letter in enumerate(word):
        row, following, came = best[i], best[i + 1], back[i + 1]
        left = len(word) - i - 1
        for j in range(max(0, width - 2 * (left + 1)), min(width, 2 * i) + 1):
            here = row[j]
            if here < -1e8:
                continue
            for size in (0, 1, 2):
                if j + size > width:
                    break
                value = here + score.get((letter, tuple(pronunciation[j : j + size])), FLOOR)
                if value > following[j + size]:
                    following[j + size] = value
                    came[j + size] = size
    cuts: list[tuple[int, int]] = []
    j = width
    for i in range(len(word), 0, -1):
        size = back[i][j]
        cuts.append((j - size, j))
        j -= size
    return best[len(word)][width], cuts[::-1]


def learn(words: list[tuple[str, list[str]]], rounds: int) -> dict[tuple[str, Chunk], float]:
    """Log probabilities of chunks by letter."""
    score = first_guess(words)
    for letter in {letter for word, _ in words for letter in word}:
        score.setdefault((letter, ()), -2.5)
    for _ in range(rounds):
        counts: dict[str, Counter[Chunk]] = defaultdict(Counter)
        for word, pronunciation in words:
            value, cuts = align(word, pronunciation, score)
            if value < -1e8:
                continue
            for letter, (start, end) in zip(word, cuts):
                counts[letter][tuple(pronunciation[start:end])] += 1
        score = {
            (letter, chunk): math.log(count / sum(chunks.values()))
            for letter, chunks in counts.items()
            for chunk, count in chunks.items()
            if count > 2
        }
    return score


def align_all(words: list[tuple[str, list[str]]], rounds: int = 5, sample: int = 4) -> list[tuple[str, list[Chunk]]]:
    """Chunks with stress for each word; words that do not sound as they are written (`ibm`) are left out."""
    bare = [(word, without_stress(pronunciation)) for word, pronunciation in words]
    score = learn(bare[::sample], rounds)
    aligned = []
    for (word, pronunciation), (_, plain) in zip(words, bare):
        value, cuts = align(word, plain, score)
        if value > -2.6 * len(word) - 6:
            aligned.append((word, [tuple(pronunciation[start:end]) for start, end in cuts]))
    return aligned
