"""Choose the weights of the search on development clips: known synthetic voices and people of the training part, never the evaluation sets.

Prints the word error rate for each blank penalty, language model weight and word bonus, over all clips of the given pools, every third one
also at 10 dB and every third through a telephone. The blank penalty makes up for a network that says nothing where it is unsure; export.py builds it into the graph.
"""

import argparse
import itertools
from pathlib import Path

import numpy as np

import pools
from decoder import Settings
from evaluate import Recognizer, error_rate, search_shipped
from evaluation_sets import noisy, telephone


def penalized(log_probs: np.ndarray, penalty: float) -> np.ndarray:
    """Log probabilities with `penalty` nats taken from the blank, made to add up to 1 again."""
    changed = log_probs.copy()
    changed[:, 0] -= penalty
    return changed - np.log(np.exp(changed).sum(1, keepdims=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--use", nargs="+", default=["commonvoice_dev", "kathleen_dev", "ljspeech_dev", "an4_dev", "kal16:12"], metavar="POOL[:FIRST]")
    parser.add_argument("--lm-weights", type=float, nargs="+", default=[0.6, 0.8, 1.0, 1.2])
    parser.add_argument("--bonuses", type=float, nargs="+", default=[0.0, 0.5, 1.0])
    parser.add_argument("--blank-penalties", type=float, nargs="+", default=[0.0])
    parser.add_argument("--beam", type=int, default=150)
    parser.add_argument("--threshold", type=float, default=13.0)
    options = parser.parse_args()
    recognizer = Recognizer.load(options.model, {})
    rng, clips = np.random.default_rng(5), []
    for entry in options.use:
        name, _, first = entry.partition(":")
        for i, item in enumerate(pools.read(options.pools / name)[: int(first) if first else None]):
            samples = item.audio.astype("f4") / 32768
            for changed in (samples, *(change(rng, samples, i).astype("f4") for at, change in enumerate((noisy, telephone)) if i % 3 == at)):
                clips.append((name, item.text, recognizer.log_probs(changed)))
    names = list(dict.fromkeys(name for name, _, _ in clips))
    grid = list(itertools.product(options.lm_weights, options.bonuses))
    settings = [Settings(weight, bonus, options.beam, options.threshold) for weight, bonus in grid]
    print("blank penalty, lm weight, word bonus: WER of all |", ", ".join(names))
    for penalty in options.blank_penalties:
        log_probs = [penalized(rows, penalty) for _, _, rows in clips]
        for (weight, bonus), texts in zip(grid, search_shipped(recognizer.words, log_probs, settings), strict=True):
            pairs = [(name, said, heard) for (name, said, _), heard in zip(clips, texts, strict=True)]
            each = [error_rate([(said, heard) for n, said, heard in pairs if n == name])[0] for name in names]
            whole = error_rate([pair[1:] for pair in pairs])[0]
            print(f"{penalty:.1f} {weight:.2f} {bonus:+.2f}: {whole:5.1f} | {' '.join(f'{rate:5.1f}' for rate in each)}", flush=True)


if __name__ == "__main__":
    main()
