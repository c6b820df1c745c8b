"""The reference decoder: phone probabilities to words by lexicon and trigram, with times.

A prefix beam search over the lexicon as a tree. A hypothesis is (tree node, the two words before, last phone label) with the best log
probability of ending in blank and of ending in that label; hypotheses with the same key are merged, the better one survives. FORMAT.md
says how scores are made up.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import packed
from ngram import log_probability

LOWEST = -1e9
LEAST_PHONE = -7.0
"""Phones below this log probability are not tried in a frame."""


@dataclass(frozen=True)
class Settings:
    """Weights and widths; the values of the shipped model are in its model.yaml."""

    lm_weight: float = 0.9
    word_bonus: float = 0.5
    beam: int = 200
    threshold: float = 13.0


@dataclass(frozen=True)
class Heard:
    """A word and the frames of its first and last label."""

    word: str
    start: int
    end: int


class Tree:
    """The lexicon as a tree: children by phone, words that end at a node, and the best unigram below each node."""

    def __init__(self, model: packed.Words):
        self.children: list[dict[int, int]] = [{}]
        self.words: list[list[int]] = [[]]
        self.best = [LOWEST]
        for i, pronunciations in enumerate(model.pronunciations):
            word = i + packed.FIRST
            for said in pronunciations:
                node = 0
                for phone in said:
                    if phone not in self.children[node]:
                        self.children[node][phone] = len(self.children)
                        self.children.append({})
                        self.words.append([])
                        self.best.append(LOWEST)
                    node = self.children[node][phone]
                    self.best[node] = max(self.best[node], model.unigram[word])
                if word not in self.words[node]:
                    self.words[node].append(word)


class Decoder:
    """Call with log probabilities [frames, 41] of one utterance; gives the words."""

    def __init__(self, model: packed.Words, settings: Settings | None = None):
        self.model, self.settings = model, settings or Settings()
        self.tree = Tree(model)
        self.ahead = [0.0] + [self.settings.lm_weight * best for best in self.tree.best[1:]]
        self.cache: dict[tuple[int, int, int], float] = {}

    def word_score(self, a: int, b: int, c: int) -> float:
        key = (a, b, c)
        if key not in self.cache:
            if len(self.cache) > 2_000_000:
                self.cache.clear()
            self.cache[key] = self.settings.lm_weight * log_probability(self.model, a, b, c)
        return self.cache[key]

    def __call__(self, log_probs: np.ndarray) -> list[Heard]:
        # Key: (node, word before last, last word, last label). Value: (ends in blank, ends in label, start of the word, history).
        beam = {(0, packed.START, packed.START, 0): (0.0, LOWEST, 0, None)}
        for frame, row in enumerate(log_probs.tolist()):
            beam = self._pruned(self._step(beam, frame, row))
        return self._best(beam)

    def _step(self, beam: dict, frame: int, row: list[float]) -> dict:
        tree, ahead, bonus = self.tree, self.ahead, self.settings.word_bonus
        likely = {phone: value for phone, value in enumerate(row) if phone and value > LEAST_PHONE}
        blank = row[0]
        following: dict = {}
        best = LOWEST

        def offer(key, in_blank, in_label, start, history) -> None:
            nonlocal best
            score = max(in_blank, in_label) + ahead[key[0]]
            if score < best - self.settings.threshold:
                return
            best = max(best, score)
            old = following.get(key)
            if old is None:
                following[key] = (in_blank, in_label, start, history)
            elif max(in_blank, in_label) > max(old[0], old[1]):
                following[key] = (max(in_blank, old[0]), max(in_label, old[1]), start, history)
            else:
                following[key] = (max(in_blank, old[0]), max(in_label, old[1]), old[2], old[3])

        for (node, a, b, label), (in_blank, in_label, start, history) in beam.items():
            either = max(in_blank, in_label)
            offer((node, a, b, label), either + blank, in_label + row[label] if label else LOWEST, start, history)
            for phone, child in tree.children[node].items():
                value = likely.get(phone)
                if value is None:
                    continue
                score = (in_blank if phone == label else either) + value
                begun = frame if node == 0 else start
                if tree.children[child]:
                    offer((child, a, b, phone), LOWEST, score, begun, history)
                for word in tree.words[child]:
                    total = score + self.word_score(a, b, word) + bonus
                    offer((0, b, word, phone), LOWEST, total, frame, (history, word, begun, frame))
        return following

    def _pruned(self, beam: dict) -> dict:
        ranked = sorted(beam.items(), key=lambda entry: -(max(entry[1][0], entry[1][1]) + self.ahead[entry[0][0]]))
        return dict(ranked[: self.settings.beam])

    def _best(self, beam: dict) -> list[Heard]:
        whole = [
            (max(value[0], value[1]) + self.word_score(key[1], key[2], packed.END), value[3]) for key, value in beam.items() if key[0] == 0
        ] or [(max(value[0], value[1]), value[3]) for value in beam.values()]
        history = max(whole, key=lambda entry: entry[0])[1]
        found = []
        while history is not None:
            history, word, start, end = history
            found.append(Heard(self.model.words[word - packed.FIRST], start, end))
        return found[::-1]


def main() -> None:
    parser = argparse.ArgumentParser(description="Decode an .npy file of log probabilities [frames, 41].")
    parser.add_argument("--words", type=Path, required=True)
    parser.add_argument("log_probs", type=Path)
    options = parser.parse_args()
    for heard in Decoder(packed.read(options.words))(np.load(options.log_probs)):
        print(f"{heard.start:5} {heard.end:5} {heard.word}")


if __name__ == "__main__":
    main()
