"""A Kneser-Ney n-gram model of graphones (letter with its phones), and the beam search that reads a word with it."""

import math
from collections import Counter, defaultdict

END = 0


class Model:
    """`prob[order][ngram]` and `backoff[order][context]`, natural logarithms; contexts may begin with `END`, which also starts a word."""

    def __init__(self, order: int) -> None:
        self.order = order
        self.prob: list[dict[tuple[int, ...], float]] = [{} for _ in range(order + 1)]
        self.backoff: list[dict[tuple[int, ...], float]] = [{} for _ in range(order + 1)]

    def log_prob(self, context: tuple[int, ...], symbol: int) -> float:
        context = context[-(self.order - 1) :]
        total = 0.0
        while True:
            found = self.prob[len(context) + 1].get((*context, symbol))
            if found is not None:
                return total + found
            if not context:
                return -20.0
            total += self.backoff[len(context)].get(context, 0.0)
            context = context[1:]


def train(sentences: list[list[int]], order: int, cutoffs: dict[int, int]) -> Model:
    """Interpolated Kneser-Ney; n-grams of an order seen less often than `cutoffs` says are dropped and their mass goes to the shorter ones."""
    counts: list[Counter[tuple[int, ...]]] = [Counter() for _ in range(order + 1)]
    for sentence in sentences:
        padded = (END, *sentence, END)
        for end in range(1, len(padded)):
            for size in range(1, order + 1):
                start = end - size + 1
                if start < 0:
                    break
                counts[size][padded[start : end + 1]] += 1
    raw = [Counter(level) for level in counts]
    # Lower orders count in how many contexts a gram was seen, except where the word begins.
    for size in range(1, order):
        seen: Counter[tuple[int, ...]] = Counter()
        for gram in counts[size + 1]:
            seen[gram[1:]] += 1
        counts[size] = Counter({gram: (count if gram[0] == END and size > 1 else seen[gram] or count) for gram, count in counts[size].items()})
    model = Model(order)
    lower: dict[tuple[int, ...], float] = {}
    for size in range(1, order + 1):
        lower = add_order(model, size, counts[size], raw[size], lower, cutoffs.get(size, 1))
    return model


def add_order(
    model: Model, size: int, counts: Counter[tuple[int, ...]], raw: Counter[tuple[int, ...]], lower: dict[tuple[int, ...], float], cutoff: int
) -> dict[tuple[int, ...], float]:
    singles = sum(1 for count in counts.values() if count == 1)
    doubles = sum(1 for count in counts.values() if count == 2)
    discount = singles / max(1, singles + 2 * doubles)
    totals: Counter[tuple[int, ...]] = Counter()
    kinds: Counter[tuple[int, ...]] = Counter()
    for gram, count in counts.items():
        totals[gram[:-1]] += count
        kinds[gram[:-1]] += 1
    full: dict[tuple[int, ...], float] = {}
    vocabulary = len(counts) if size == 1 else 1
    for gram, count in counts.items():
        context = gram[:-1]
        rest = discount * kinds[context] / totals[context]
        below = 1 / vocabulary if size == 1 else lower[gram[1:]]
        full[gram] = max(0.0, count - discount) / totals[context] + rest * below
    kept_mass: dict[tuple[int, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for gram, value in full.items():
        if size > 1 and raw[gram] < cutoff:
            continue
        # A gram whose context was dropped could never be found.
        if size > 2 and gram[:-1] not in model.prob[size - 1]:
            continue
        model.prob[size][gram] = math.log(value)
        if size > 1:
            mass = kept_mass[gram[:-1]]
            mass[0] += value
            mass[1] += math.exp(model.log_prob(gram[1:-1], gram[-1]))
    for context, (own, below) in kept_mass.items():
        model.backoff[size - 1][context] = math.log(max(1e-6, 1 - own) / max(1e-6, 1 - below))
    return full


def read_word(word: str, model: Model, candidates: dict[str, list[int]], beam: int = 24) -> list[int]:
    """The likeliest graphones of a word; letters that were never seen are passed over."""
    paths: list[tuple[float, tuple[int, ...]]] = [(0.0, (END,))]
    for letter in word:
        choices = candidates.get(letter)
        if choices is None:
            continue
        longer = [(value + model.log_prob(path, choice), (*path, choice)) for value, path in paths for choice in choices]
        longer.sort(reverse=True)
        paths = longer[:beam]
    _, path = max((value + model.log_prob(path, END), path) for value, path in paths)
    return list(path[1:])
