"""Choose the weights of the search on development clips: known synthetic voices and people of the training part, never the evaluation sets.

Prints the word error rate for each pair of language model weight and word bonus, over all clips of the given pools, clean and at 10 dB.
"""

import argparse
import itertools
from pathlib import Path

import numpy as np

import pools
from decoder import Decoder, Settings
from evaluate import Recognizer, error_rate
from evaluation_sets import noisy
from features import log_mel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--use", nargs="+", default=["commonvoice_dev", "kathleen_dev", "ljspeech_dev", "an4_dev", "rms:12"], metavar="POOL[:FIRST]")
    parser.add_argument("--lm-weights", type=float, nargs="+", default=[0.6, 0.8, 1.0, 1.2])
    parser.add_argument("--bonuses", type=float, nargs="+", default=[0.0, 0.5, 1.0])
    parser.add_argument("--beam", type=int, default=150)
    parser.add_argument("--threshold", type=float, default=13.0)
    options = parser.parse_args()
    recognizer = Recognizer.load(options.model, {})
    rng, clips = np.random.default_rng(5), []
    for entry in options.use:
        name, _, first = entry.partition(":")
        for i, item in enumerate(pools.read(options.pools / name)[: int(first) if first else None]):
            samples = item.audio.astype("f4") / 32768
            for changed in (samples, noisy(rng, samples, i).astype("f4")) if i % 3 == 0 else (samples,):
                clips.append((name, item.text, recognizer.heard(log_mel(changed).numpy())))
    names = list(dict.fromkeys(name for name, _, _ in clips))
    print("lm weight, word bonus: WER of all |", ", ".join(names))
    for weight, bonus in itertools.product(options.lm_weights, options.bonuses):
        decoder = Decoder(recognizer.words, Settings(weight, bonus, options.beam, options.threshold))
        pairs = [(name, said, " ".join(found.word for found in decoder(log_probs))) for name, said, log_probs in clips]
        each = [error_rate([(said, heard) for n, said, heard in pairs if n == name])[0] for name in names]
        print(f"{weight:.2f} {bonus:+.2f}: {error_rate([pair[1:] for pair in pairs])[0]:5.1f} | {' '.join(f'{rate:5.1f}' for rate in each)}", flush=True)


if __name__ == "__main__":
    main()
