"""Human recordings as pools: training, development and evaluation, divided as ../shared/data/human/README.md says.

Development clips choose weights of the language model; they are cut from speakers of the training part and never trained on.
"""

import argparse
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import pools
import corpus

DEVELOPMENT_EVERY = {"commonvoice": 12, "kathleen": 94, "an4": 10, "picovoice": 62, "ljspeech": 29}
"""One clip in so many (the second, and so on) is development; corpora that are not named have none."""


def decode(path: Path) -> np.ndarray:
    """Any recording as mono int16 at 16 kHz."""
    command = ["ffmpeg", "-v", "error", "-threads", "1", "-i", path, "-ac", "1", "-ar", str(pools.RATE), "-f", "s16le", "-"]
    return np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, "<i2")


def part(name: str, index: int, identity: str) -> str:
    """train, dev or eval."""
    if (name == "ljspeech" and identity.endswith("0")) or corpus.is_evaluation(name, index):
        return "eval"
    return "dev" if index % DEVELOPMENT_EVERY.get(name, 10**9) == 1 else "train"


def listed(data: Path, name: str) -> list[tuple[str, Path, str, str, str]]:
    """(part, file, identity, speaker, text) of every clip of a corpus."""
    if name == "ljspeech":
        found = [(row[0], data / f"ljspeech/clips/{row[0]}.flac", "ljspeech", row[2]) for row in corpus.rows(data / "ljspeech/metadata.csv")]
    else:
        folder = data / "human" / name
        found = [(row[0], folder / f"{row[0]}.opus", row[1], row[2]) for row in corpus.rows(folder / "metadata.csv")]
    return [(part(name, i, identity), path, identity, speaker, said) for i, (identity, path, speaker, said) in enumerate(found)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Decode the human recordings into pools NAME_train, NAME_dev and NAME_eval.")
    parser.add_argument("--data", type=Path, required=True, help="the folder with ljspeech/ and human/")
    parser.add_argument("--front-end", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("out", type=Path, help="folder of the pools")
    options = parser.parse_args()
    heldout = corpus.Heldout(corpus.evaluation_texts(options.data))
    corpora = ["ljspeech", *sorted(path.parent.name for path in (options.data / "human").glob("*/metadata.csv"))]
    for name in corpora:
        clips = listed(options.data, name)
        kept = [clip for clip in clips if clip[0] == "eval" or clip[4] not in heldout]
        if len(kept) < len(clips):
            print(f"{name}: {len(clips) - len(kept)} clips left out, their text is spoken in an evaluation set")
        with ThreadPoolExecutor(options.jobs) as pool:
            audio = list(pool.map(decode, [clip[1] for clip in kept]))
        phones = pools.front_end_phones(options.front_end, [corpus.tidy(clip[4]) for clip in kept])
        for which in ("train", "dev", "eval"):
            chosen = [
                pools.Utterance(samples, f"{name}-{clip[3]}", spoken, clip[4])
                for clip, samples, spoken in zip(kept, audio, phones, strict=True)
                if clip[0] == which
            ]
            if chosen:
                pools.write(options.out / f"{name}_{which}", chosen)


if __name__ == "__main__":
    main()
