"""Fit the weights of word confidence (workers/recognition/decoding/confidence.ts) to right and wrong words of development clips.

Prints the weights, and how well the shipped ones and the fitted ones tell right from wrong: area under the curve, and the mean confidence beside the share
of right words, which should be alike. Every second clip also with noise at 10 dB, so that there are wrong words to learn from.
"""

import argparse
import json
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path

import numpy as np

import pools
from evaluate import Recognizer, scored
from evaluation_sets import noisy

NAMES = ("acoustic", "neighbours", "symbols", "unigram")


def right(said: list[str], heard: list[str]) -> list[bool]:
    """Whether each heard word stands for the same word in an alignment with fewest errors."""
    cost = np.zeros((len(said) + 1, len(heard) + 1), int)
    cost[0], cost[:, 0] = np.arange(len(heard) + 1), np.arange(len(said) + 1)
    for i, wanted in enumerate(said, 1):
        for j, got in enumerate(heard, 1):
            cost[i, j] = min(cost[i - 1, j] + 1, cost[i, j - 1] + 1, cost[i - 1, j - 1] + (wanted != got))
    i, j, found = len(said), len(heard), [False] * len(heard)
    while i and j:
        if cost[i, j] == cost[i - 1, j - 1] + (said[i - 1] != heard[j - 1]):
            i, j = i - 1, j - 1
            found[j] = said[i] == heard[j]
        elif cost[i, j] == cost[i - 1, j] + 1:
            i -= 1
        else:
            j -= 1
    return found


def evidence(recognizer: Recognizer, log_probs: list[np.ndarray]) -> list[list[dict]]:
    names = {"lm_weight": "lmWeight", "word_bonus": "wordBonus"}
    settings = json.dumps({names.get(key, key): value for key, value in asdict(recognizer.settings).items()})
    with tempfile.NamedTemporaryFile() as file:
        for rows in log_probs:
            file.write(np.array(rows.shape, "<u4").tobytes() + np.ascontiguousarray(rows, "<f4").tobytes())
        file.flush()
        command = ["node", Path(__file__).with_name("evidence.mjs"), recognizer.words, file.name]
        given = subprocess.run(command, input=settings, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in given.rstrip("\n").split("\n")]


def fit(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Logistic regression by Newton's method, with a little ridge."""
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ weights))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-2 * np.eye(x.shape[1])
        weights += np.linalg.solve(hessian, x.T @ (y - p) - 1e-2 * weights)
    return weights


def area(confidence: np.ndarray, y: np.ndarray) -> float:
    """The chance that a right word is surer than a wrong one."""
    order = np.argsort(np.argsort(confidence)) + 1
    positives = y.sum()
    return (order[y].sum() - positives * (positives + 1) / 2) / max(1, positives * (len(y) - positives))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--use", nargs="+", default=["commonvoice_dev", "kathleen_dev", "ljspeech_dev", "an4_dev", "picovoice_dev"])
    options = parser.parse_args()
    recognizer = Recognizer.load(options.model, {})
    rng, texts, log_probs = np.random.default_rng(6), [], []
    for item in (item for name in options.use for item in pools.read(options.pools / name)):
        samples = item.audio.astype("f4") / 32768
        for changed in (samples, noisy(rng, samples, len(texts)).astype("f4")) if len(texts) % 3 == 0 else (samples,):
            texts.append(item.text)
            log_probs.append(recognizer.log_probs(changed))
    rows, labels, shipped = [], [], []
    for said, words in zip(texts, evidence(recognizer, log_probs), strict=True):
        spoken = scored(said)
        # A found word can be scored as several, such as one with a hyphen: it is right when all of them are.
        parts = [(i, part) for i, word in enumerate(words) for part in scored(word["text"])]
        wrong = {i for (i, _), good in zip(parts, right(spoken, [part for _, part in parts]), strict=True) if not good}
        for i, word in enumerate(words):
            rows.append([1.0, *(word[name] for name in NAMES)])
            labels.append(i not in wrong)
            shipped.append(word["confidence"])
    x, y = np.array(rows), np.array(labels)
    weights = fit(x, y.astype(float))
    fitted = 1 / (1 + np.exp(-x @ weights))
    print(f"{len(y)} words in {len(texts)} clips, {100 * y.mean():.1f} % right")
    for name, confidence in (("shipped", np.array(shipped)), ("fitted", fitted)):
        print(f"{name}: area {area(confidence, y):.3f}, mean confidence {100 * confidence.mean():.1f} %")
    print(", ".join(f"{name}: {value:.2f}" for name, value in zip(("constant", *NAMES), weights, strict=True)))


if __name__ == "__main__":
    main()
