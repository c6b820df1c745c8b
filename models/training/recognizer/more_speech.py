"""More human speech as training pools: corpora that live in public repositories, taken from a copy of each (README.md says which).

Clips whose sentence is spoken in an evaluation set are left out, and so are clips over 15 s.
"""

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import corpus
import human
import pools

LONGEST = 15 * pools.RATE


@dataclass(frozen=True)
class Clip:
    """A recording with what is said in it."""

    path: Path
    speaker: str
    text: str


def speechocean(folder: Path) -> Iterator[Clip]:
    """speechocean762: 250 people whose mother tongue is Mandarin, half of them children (CC BY 4.0)."""
    for part in ("train", "test"):
        speakers = dict(line.split() for line in (folder / part / "utt2spk").read_text().splitlines())
        for line in (folder / part / "text").read_text().splitlines():
            identity, text = line.split("\t", 1)
            yield Clip(folder / f"WAVE/SPEAKER{speakers[identity]}/{identity}.WAV", speakers[identity], text.lower())


def common_voice(folder: Path) -> Iterator[Clip]:
    """Pieces of Common Voice (CC0) that lie in several repositories: every `validated.tsv` below the folder with `clips` beside it."""
    seen = set()
    for table in sorted(folder.glob("**/validated.tsv")):
        head, *lines = (line.split("\t") for line in table.read_text(encoding="utf-8").splitlines())
        for line in lines:
            speaker, name, text = (line[head.index(column)] for column in ("client_id", "path", "sentence"))
            if name not in seen and (table.parent / "clips" / name).exists():
                seen.add(name)
                yield Clip(table.parent / "clips" / name, speaker[:10], text)


def common_voice_first(folder: Path) -> Iterator[Clip]:
    """`cv-valid-dev` of the first release of Common Voice (CC0), which does not say who speaks."""
    with (folder / "cv-valid-dev.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            yield Clip(folder / "cv-valid-dev" / row["filename"], "unknown", row["text"])


def librispeech(folder: Path) -> Iterator[Clip]:
    """Pieces of LibriSpeech (CC BY 4.0): recordings and transcripts anywhere below the folder.

    Transcripts are LibriSpeech's own `*.trans.txt`, `*.biasing_100.tsv` of is21_deep_bias (identity TAB text TAB more),
    or `*.query.txt.spin` of flaky-librispeech (path TAB the text in pieces).
    """
    texts = {}
    for table in folder.glob("**/*.trans.txt"):
        texts |= dict(line.split(" ", 1) for line in table.read_text().splitlines())
    for table in folder.glob("**/*.biasing_100.tsv"):
        texts |= {line.split("\t")[0]: line.split("\t")[1] for line in table.read_text().splitlines()}
    for table in folder.glob("**/*.query.txt.spin"):
        for line in table.read_text(encoding="utf-8").splitlines():
            path, pieces = line.split("\t")
            texts[Path(path).stem] = pieces.removeprefix("<↑>").replace(" ", "").replace("▁", " ").strip()
    recordings = {path.stem: path for ending in ("wav", "flac") for path in folder.glob(f"**/*.{ending}")}
    for identity, path in sorted(recordings.items()):
        if identity in texts:
            yield Clip(path, identity.split("-")[0], texts[identity].lower())


CORPORA = {
    "commonvoice1": common_voice_first,
    "commonvoice2": common_voice,
    "commonvoice3": common_voice,
    "librispeech": librispeech,
    "speechocean": speechocean,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pool NAME_train of each corpus that is there.")
    parser.add_argument("--data", type=Path, required=True, help="the folder with ljspeech/ and human/: what it evaluates on is left out")
    parser.add_argument("--sources", type=Path, required=True, help="a folder with a copy of each corpus, by its name here")
    parser.add_argument("--front-end", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("out", type=Path, help="folder of the pools")
    parser.add_argument("corpora", nargs="*", default=list(CORPORA))
    options = parser.parse_args()
    heldout = corpus.Heldout(corpus.spoken_texts(options.data, ("eval",)))
    spoken_there = [corpus.words(text) for text in corpus.spoken_texts(options.data, ("eval", "dev"))]
    strangers = {row[1] for path in (options.data / "human").glob("*/metadata.csv") for row in corpus.rows(path)}
    for name in options.corpora:
        folder, pool = options.sources / name, options.out / f"{name}_train"
        if not folder.exists() or pool.with_suffix(".tsv").exists():
            continue
        clips = [
            clip
            for clip in CORPORA[name](folder)
            if clip.text not in heldout and corpus.words(clip.text) not in spoken_there and not {clip.speaker, f"cv{clip.speaker}"} & strangers
        ]
        phones = pools.front_end_phones(options.front_end, [corpus.tidy(clip.text) for clip in clips])
        found = []
        for clip, spoken in zip(clips, phones, strict=True):
            audio = human.decode(clip.path)
            if 0 < len(audio) <= LONGEST and spoken:
                found.append(pools.Utterance(np.asarray(audio), f"{name}-{clip.speaker}", spoken, clip.text))
        pools.write(pool, found)


if __name__ == "__main__":
    main()
