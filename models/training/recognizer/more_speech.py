"""More human speech as training pools: corpora that live in public repositories, taken from a copy of each (README.md says which).

Clips whose sentence is spoken in an evaluation set are left out, and so are clips over 17 s. What the
people of `corpus.UNSEEN_PEOPLE` say becomes a pool NAME_eval.
"""

import argparse
import csv
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import corpus
import human
import pools

LONGEST = 17 * pools.RATE
WHOLE = ("librispeech_test",)
"""Corpora that are evaluated as others evaluate them, longer clips included."""

MOST_EVALUATED = {"librispeech2": 36}
"""Clips of one person in an evaluation pool; all where a corpus is not named."""


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
    """A part of the first release of Common Voice (CC0), `cv-valid-dev` or `cv-valid-test`; it does not say who speaks."""
    for table in folder.glob("cv-valid-*.csv"):
        with table.open(newline="") as file:
            clips = [Clip(folder / table.stem / row["filename"], "unknown", row["text"]) for row in csv.DictReader(file)]
        yield from (clip for clip in clips if clip.path.exists())


def common_voice_first_test(folder: Path) -> Iterator[Clip]:
    """Clips of the first release whose sentence is not said in the part that is trained on."""
    said = {clip.text for clip in common_voice_first(folder.parent / "commonvoice1")}
    yield from (clip for clip in common_voice_first(folder) if clip.text not in said)


def librispeech_tests(folder: Path) -> set[str]:
    """The people of LibriSpeech's own test sets, by the tables `test-*.biasing_100.tsv` that list all of their clips."""
    tables = folder.parent.glob("librispeech*/**/test-*.biasing_100.tsv")
    return {line.split("-", 1)[0] for table in tables for line in table.read_text().splitlines()}


def librispeech(folder: Path) -> Iterator[Clip]:
    """Pieces of LibriSpeech (CC BY 4.0) without the people of its test sets."""
    tested = librispeech_tests(folder)
    return (clip for clip in all_librispeech(folder) if clip.speaker not in tested)


def all_librispeech(folder: Path) -> Iterator[Clip]:
    """Pieces of LibriSpeech: recordings and transcripts anywhere below the folder.

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


def an4(folder: Path) -> Iterator[Clip]:
    """AN4 (CMU, free for any purpose): spelling, numbers and commands; of its test part only the people who are evaluation here."""
    for part, place in (("train", "an4_clstk"), ("test", "an4test_clstk")):
        for line in filter(None, (folder / f"etc/an4_{part}.transcription").read_text().splitlines()):
            text, identity = line.rstrip(")").rsplit(" (", 1)
            speaker = identity.split("-")[1]
            if part == "train" or speaker in corpus.UNSEEN_PEOPLE["an4_2"]:
                yield Clip(folder / f"wav/{place}/{speaker}/{identity}.sph", speaker, text.replace("<s>", "").replace("</s>", "").strip().lower())


def taught(folder: Path) -> Iterator[Clip]:
    """Recordings without transcripts of people, in every folder below this one where believe.py has left its table of the teacher's."""
    for table in sorted(folder.glob("*/believed.tsv")):
        for line in table.open(encoding="utf-8"):
            path, _, text = line.rstrip("\n").split("\t")
            yield Clip(table.parent / path, table.parent.name, text)


CORPORA = {
    "an4_2": an4,
    "commonvoice1": common_voice_first,
    "commonvoice2": common_voice,
    "commonvoice3": common_voice,
    "commonvoice_test": common_voice_first_test,
    "librispeech": librispeech,
    "librispeech2": librispeech,
    "librispeech_test": all_librispeech,
    "speechocean": speechocean,
    "taught": taught,
}


def decoded(name: str, clips: list[Clip], front_end: Path) -> list[pools.Utterance]:
    """Utterances of the clips that are short enough; says how many could not be read."""
    phones = pools.front_end_phones(front_end, [corpus.tidy(clip.text) for clip in clips])
    found, unreadable = [], 0
    for clip, spoken in zip(clips, phones, strict=True):
        try:
            audio = human.decode(clip.path)
        except ValueError:
            unreadable += 1
            continue
        if 0 < len(audio) and (len(audio) <= LONGEST or name in WHOLE) and spoken:
            found.append(pools.Utterance(np.asarray(audio), f"{name}-{clip.speaker}", spoken, clip.text))
    if unreadable:
        print(f"{name}: {unreadable} clips cannot be read")
    return found


def in_turn(lists: list[list[Clip]]) -> list[Clip]:
    """The first clip of each list, then the second, and so on: the first clips of the pool are of all people."""
    return [clip for turn in itertools.zip_longest(*lists) for clip in turn if clip]


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pools NAME_train and NAME_eval of each corpus that is there.")
    parser.add_argument("--data", type=Path, required=True, help="the folder with ljspeech/ and human/: what it evaluates on is left out")
    parser.add_argument("--sources", type=Path, required=True, help="a folder with a copy of each corpus, by its name here")
    parser.add_argument("--front-end", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("out", type=Path, help="folder of the pools")
    parser.add_argument("corpora", nargs="*", default=list(CORPORA))
    options = parser.parse_args()
    heldout = corpus.Heldout(corpus.spoken_texts(options.data, ("eval",)))
    spoken_there = [corpus.words(text) for text in corpus.spoken_texts(options.data, ("eval", "dev"))]
    tables = (options.data / "human").glob("*/metadata.csv")
    strangers = {row[1] for path in tables for i, row in enumerate(corpus.rows(path)) if corpus.part(path.parent.name, i, row[0]) == "eval"}
    # A recording that DATA holds is told by its number: a teacher's transcript of it can differ from the sentence, so the sentence does not tell.
    numbers = {f"common_voice_en_{row[0].rsplit('-', 1)[-1]}" for row in corpus.rows(options.data / "human/commonvoice/metadata.csv")}
    for name in options.corpora:
        folder = options.sources / name
        if not folder.exists():
            continue
        clips = list(CORPORA[name](folder))
        unseen = corpus.UNSEEN_PEOPLE.get(name, ())
        relatives = [people for other, people in corpus.UNSEEN_PEOPLE.items() if other.rstrip("_0123456789") == name.rstrip("_0123456789")]
        absent = {*strangers, *itertools.chain(*relatives)}
        parts = {
            "eval": in_turn([[clip for clip in clips if clip.speaker == person][: MOST_EVALUATED.get(name)] for person in unseen]),
            "train": [
                clip
                for clip in clips
                if clip.text not in heldout
                and corpus.words(clip.text) not in spoken_there
                and not {clip.speaker, f"cv{clip.speaker}"} & absent
                and clip.path.stem not in numbers
            ],
        }
        for part, chosen in parts.items():
            pool = options.out / f"{name}_{part}"
            if chosen and not pool.with_suffix(".tsv").exists():
                pools.write(pool, decoded(name, chosen, options.front_end))


if __name__ == "__main__":
    main()
