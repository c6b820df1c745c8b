"""Word error rates of a model folder on the evaluation sets, beside pocketsphinx and Moonshine base on the same audio.

Reads the shipped files (the graph, words.bin, model.yaml) and the answers that judge.py wrote; prints the table of the model card.
The search is the shipped one (search.mjs; Parley must be built), or with --reference that of decoder.py.
Both recognizers are scored alike: lower case, hyphens split, punctuation dropped, "mr" and the like written out.
"""

import argparse
import json
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import scipy.io.wavfile
import yaml

import corpus
import packed
import pools
from decoder import Decoder, Settings
from features import log_mel
from score import distance

WRITTEN_OUT = {"mr": "mister", "mrs": "missus", "dr": "doctor", "st": "saint", "okay": "ok", "till": "until", "'til": "until"}
TITLES = {
    "known": "synthetic voices of the training, unseen sentences", "awb": "synthetic voice never trained on (flite awb)",
    "ked": "synthetic voice never trained on (festival ked)", "ljspeech": "LJSpeech, held-out clips (reader is known)",
    "people": "people never heard", "readers": "readers never heard (LibriSpeech)", "spelling": "people never heard (AN4: letters, numbers, commands)",
    "volunteers": "people never heard (Common Voice 1)", "testclean": "LibriSpeech's test-clean", "noise": "noise at 10 dB", "phone": "telephone band, mu-law",
    "never heard": "all people never heard",
}  # fmt: skip

NEVER_HEARD = ("people", "readers", "spelling", "volunteers")
"""Clean sets of people whom no model was trained on, without the large one."""


def scored(said: str) -> list[str]:
    return [WRITTEN_OUT.get(word, word) for word in corpus.words(said)]


@dataclass
class Recognizer:
    """A model folder with its weights for the search."""

    session: onnxruntime.InferenceSession
    words: Path
    settings: Settings

    @staticmethod
    def load(folder: Path, changes: dict[str, float], role: str | None = None) -> "Recognizer":
        """`role` is the graph's in model.yaml: `graph` computes in float32, `int8` with integers, which is taken where it is there."""
        manifest = yaml.safe_load((folder / "model.yaml").read_text())
        role = role or ("int8" if "int8" in manifest["files"] else "graph")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(folder / manifest["files"][role]["path"]), options, providers=["CPUExecutionProvider"])
        given = manifest.get("decoding", {})
        tuned = {"lm_weight": given["lmWeight"], "word_bonus": given["wordBonus"], "beam": given["beam"], "threshold": given["threshold"]}
        return Recognizer(session, folder / "words.bin", Settings(**(tuned | changes)))

    def log_probs(self, samples: np.ndarray) -> np.ndarray:
        """Samples in [-1, 1] at 16 kHz to log probabilities [frames, 41]; also of the recognizers before 2026-11-28, whose graphs take features."""
        if self.session.get_inputs()[0].name == "audio":
            return self.session.run(None, {"audio": samples[None].astype("f4"), "audio_lens": np.array([len(samples)])})[0][0]
        frames = log_mel(samples).numpy()
        return self.session.run(None, {"x": frames[None], "x_lens": np.array([len(frames)])})[0][0]


def search_reference(words: Path, log_probs: list[np.ndarray], settings: list[Settings]) -> list[list[str]]:
    """Texts by setting and utterance, found by decoder.py."""
    model = packed.read(words)
    decoders = [Decoder(model, setting) for setting in settings]
    return [[" ".join(found.word for found in decoder(rows)) for rows in log_probs] for decoder in decoders]


def search_shipped(words: Path, log_probs: list[np.ndarray], settings: list[Settings]) -> list[list[str]]:
    """Texts by setting and utterance, found by the decoder of Parley."""
    names = {"lm_weight": "lmWeight", "word_bonus": "wordBonus"}
    lines = [json.dumps({names.get(key, key): value for key, value in asdict(setting).items()}) for setting in settings]
    with tempfile.NamedTemporaryFile() as file:
        for rows in log_probs:
            file.write(np.array(rows.shape, "<u4").tobytes() + np.ascontiguousarray(rows, "<f4").tobytes())
        file.flush()
        command = ["node", Path(__file__).with_name("search.mjs"), words, file.name]
        given = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in given.rstrip("\n").split("\n")]


def samples_of(path: Path) -> np.ndarray:
    return scipy.io.wavfile.read(path)[1].astype("f4") / 32768


def clips(folder: Path, name: str) -> list[tuple[Path, str]]:
    lines = (folder / f"{name}.tsv").read_text().rstrip("\n").split("\n")
    return [(folder / file, said) for file, said in (line.split("\t") for line in lines)]


def error_rate(pairs: list[tuple[str, str]]) -> tuple[float, int]:
    """(percent, words) of (said, heard)."""
    errors = sum(distance(scored(said), scored(heard)) for said, heard in pairs)
    count = sum(len(scored(said)) for said, _ in pairs)
    return 100 * errors / max(1, count), count


def judged(answers: Path, said: list[tuple[Path, str]]) -> str:
    """Another recognizer's word error rate, where judge.py has run."""
    if not answers.exists():
        return "not run"
    heard = answers.read_text().split("\n")[: len(said)]
    return f"{error_rate([(text, words) for (_, text), words in zip(said, heard, strict=True)])[0]:.1f}"


def interval(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> tuple[float, float]:
    """Between what the second model's rate minus the first's lies in 95 % of resamplings of the clips; (errors, words) per clip."""
    rng, a, b = np.random.default_rng(7), np.array(first), np.array(second)
    drawn = rng.integers(0, len(a), (5000, len(a)))
    words = a[drawn, 1].sum(1)
    differences = 100 * (b[drawn, 0].sum(1) - a[drawn, 0].sum(1)) / words
    return float(np.percentile(differences, 2.5)), float(np.percentile(differences, 97.5))


def counted(pairs: list[tuple[str, str]]) -> list[tuple[int, int]]:
    """(errors, words) of each (said, heard)."""
    return [(distance(scored(said), scored(heard)), len(scored(said))) for said, heard in pairs]


def beside(options: argparse.Namespace) -> None:
    """A table of two models on the same audio, with the interval of the difference; the last row is all people never heard."""
    models = [Recognizer.load(options.model, {}, options.role), Recognizer.load(options.beside, {}, options.beside_role)]
    found: dict[str, list[list[tuple[int, int]]]] = {}
    print("| audio | clips | words | before | after | change | 95 % of resamplings |\n|---|---|---|---|---|---|---|")
    for name in [*(options.only or [path.stem for path in sorted(options.sets.glob("*.tsv"))]), "never heard"]:
        if name == "never heard":
            parts = [found[part] for part in NEVER_HEARD if part in found]
            counts = [[clip for part in parts for clip in part[i]] for i in range(2)]
        else:
            said = clips(options.sets, name)
            samples = [samples_of(path) for path, _ in said]
            counts = []
            for model in models:
                heard = search_shipped(model.words, [model.log_probs(clip) for clip in samples], [model.settings])[0]
                counts.append(counted([(text, words) for (_, text), words in zip(said, heard, strict=True)]))
            found[name] = counts
        if counts[0]:
            words = sum(count for _, count in counts[0])
            rates = [100 * sum(errors for errors, _ in part) / words for part in counts]
            low, high = interval(*counts)
            title = ", ".join(TITLES.get(part, part) for part in name.split("-"))
            print(f"| {title} | {len(counts[0])} | {words} | {rates[0]:.1f} | {rates[1]:.1f} | {rates[1] - rates[0]:+.1f} | {low:+.1f} to {high:+.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    parser.add_argument("--beside", type=Path, help="another model folder: prints both and by how much they differ, without the others")
    parser.add_argument("--role", choices=["graph", "int8"], help="which graph of the folder: float32 or integers; integers where it has them")
    parser.add_argument("--beside-role", choices=["graph", "int8"], help="the same of the other folder")
    parser.add_argument("--sets", type=Path, required=True, help="the folder that evaluation_sets.py wrote")
    parser.add_argument("--only", nargs="*", help="names of sets; all when absent")
    parser.add_argument("--lm-weight", type=float)
    parser.add_argument("--word-bonus", type=float)
    parser.add_argument("--beam", type=int)
    parser.add_argument("--threshold", type=float)
    parser.add_argument("--reference", action="store_true", help="search with decoder.py")
    parser.add_argument("--show", action="store_true", help="print what was said and heard")
    options = parser.parse_args()
    if options.beside:
        return beside(options)
    names = ("lm_weight", "word_bonus", "beam", "threshold")
    recognizer = Recognizer.load(options.model, {name: getattr(options, name) for name in names if getattr(options, name) is not None}, options.role)
    search = search_reference if options.reference else search_shipped
    vocabulary = set(packed.word_list(recognizer.words))
    print(f"{recognizer.settings}\n\n| audio | clips | words | out of vocabulary | this model, WER % | pocketsphinx, WER % | Moonshine base, WER % |\n|---|---|---|---|---|---|---|")
    for name in options.only or [path.stem for path in sorted(options.sets.glob("*.tsv"))]:
        said, begin = clips(options.sets, name), time.time()
        audio = [samples_of(path) for path, _ in said]
        log_probs = [recognizer.log_probs(samples) for samples in audio]
        heard = search(recognizer.words, log_probs, [recognizer.settings])[0]
        seconds = sum(map(len, audio)) / pools.RATE
        rate, count = error_rate([(text, words) for (_, text), words in zip(said, heard, strict=True)])
        unknown = sum(word not in vocabulary for _, text in said for word in corpus.words(text))
        title = ", ".join(TITLES.get(part, part) for part in name.split("-"))
        others = [judged(options.sets / f"{name}.{other}", said) for other in ("pocketsphinx", "moonshine")]
        print(f"| {title} | {len(said)} | {count} | {100 * unknown / count:.1f} % | {rate:.1f} | {' | '.join(others)} |", flush=True)
        if options.show:
            print("\n".join(f"  said  {' '.join(scored(text))}\n  heard {words}" for (_, text), words in zip(said, heard, strict=True)))
            print(f"  {seconds / (time.time() - begin):.0f} times real time, start of programs included")


if __name__ == "__main__":
    main()
