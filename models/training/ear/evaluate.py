"""Word error rates of a model folder on the evaluation sets, beside pocketsphinx on the same audio.

Reads the shipped files (model.onnx, words.bin, model.yaml) and the answers that judge.py wrote; prints the table of the model card.
Both recognizers are scored alike: lower case, hyphens split, punctuation dropped, "mr" and the like written out.
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import scipy.io.wavfile
import yaml

import corpus
import packed
from decoder import Decoder, Settings
from features import log_mel
from score import distance

WRITTEN_OUT = {"mr": "mister", "mrs": "missus", "dr": "doctor", "st": "saint", "okay": "ok", "till": "until", "'til": "until"}
TITLES = {
    "known": "synthetic voices of the training, unseen sentences", "awb": "synthetic voice never trained on (flite awb)",
    "ked": "synthetic voice never trained on (festival ked)", "ljspeech": "LJSpeech, held-out clips (reader is known)",
    "people": "people never heard", "noise": "noise at 10 dB", "phone": "telephone band, mu-law",
}  # fmt: skip


def scored(said: str) -> list[str]:
    return [WRITTEN_OUT.get(word, word) for word in corpus.words(said)]


@dataclass
class Recognizer:
    """A model folder with its weights for the search."""

    session: onnxruntime.InferenceSession
    words: packed.Words
    settings: Settings

    @staticmethod
    def load(folder: Path, changes: dict[str, float]) -> "Recognizer":
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        given = yaml.safe_load((folder / "model.yaml").read_text()).get("decoding", {})
        tuned = {"lm_weight": given["lmWeight"], "word_bonus": given["wordBonus"], "beam": given["beam"], "threshold": given["threshold"]}
        return Recognizer(session, packed.read(folder / "words.bin"), Settings(**(tuned | changes)))

    def log_probs(self, path: Path) -> np.ndarray:
        _, samples = scipy.io.wavfile.read(path)
        return self.heard(log_mel(samples.astype("f4") / 32768).numpy())

    def heard(self, frames: np.ndarray) -> np.ndarray:
        """Log-mel frames [T, 80] to log probabilities [T / 4, 41]."""
        return self.session.run(None, {"x": frames[None], "x_lens": np.array([len(frames)])})[0][0]


def clips(folder: Path, name: str) -> list[tuple[Path, str]]:
    lines = (folder / f"{name}.tsv").read_text().rstrip("\n").split("\n")
    return [(folder / file, said) for file, said in (line.split("\t") for line in lines)]


def error_rate(pairs: list[tuple[str, str]]) -> tuple[float, int]:
    """(percent, words) of (said, heard)."""
    errors = sum(distance(scored(said), scored(heard)) for said, heard in pairs)
    count = sum(len(scored(said)) for said, _ in pairs)
    return 100 * errors / max(1, count), count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    parser.add_argument("--sets", type=Path, required=True, help="the folder that evaluation_sets.py wrote")
    parser.add_argument("--only", nargs="*", help="names of sets; all when absent")
    parser.add_argument("--lm-weight", type=float)
    parser.add_argument("--word-bonus", type=float)
    parser.add_argument("--beam", type=int)
    parser.add_argument("--threshold", type=float)
    parser.add_argument("--show", action="store_true", help="print what was said and heard")
    options = parser.parse_args()
    names = ("lm_weight", "word_bonus", "beam", "threshold")
    recognizer = Recognizer.load(options.model, {name: getattr(options, name) for name in names if getattr(options, name) is not None})
    decoder = Decoder(recognizer.words, recognizer.settings)
    vocabulary = set(recognizer.words.words)
    print(f"{recognizer.settings}\n\n| audio | clips | words | out of vocabulary | this model, WER % | pocketsphinx, WER % |\n|---|---|---|---|---|---|")
    for name in options.only or [path.stem for path in sorted(options.sets.glob("*.tsv"))]:
        begin, seconds, heard = time.time(), 0.0, []
        said = clips(options.sets, name)
        for path, _ in said:
            log_probs = recognizer.log_probs(path)
            seconds += len(log_probs) * 0.04
            heard.append(" ".join(found.word for found in decoder(log_probs)))
        rate, count = error_rate([(text, words) for (_, text), words in zip(said, heard, strict=True)])
        judged = options.sets / f"{name}.pocketsphinx"
        other = f"{error_rate(list(zip((t for _, t in said), judged.read_text().split(chr(10)), strict=False)))[0]:.1f}" if judged.exists() else "not run"
        unknown = sum(word not in vocabulary for _, text in said for word in corpus.words(text))
        title = ", ".join(TITLES.get(part, part) for part in name.split("-"))
        print(f"| {title} | {len(said)} | {count} | {100 * unknown / count:.1f} % | {rate:.1f} | {other} |", flush=True)
        if options.show:
            print("\n".join(f"  said  {' '.join(scored(text))}\n  heard {words}" for (_, text), words in zip(said, heard, strict=True)))
            print(f"  {seconds / (time.time() - begin):.0f} times real time")


if __name__ == "__main__":
    main()
