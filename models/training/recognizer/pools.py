"""A pool: many utterances in one file of samples and one table.

`NAME.pcm` holds 16 kHz 16-bit samples one after another; `NAME.tsv` has a line per utterance:
offset TAB samples TAB speaker TAB phones (apart by spaces) TAB text.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RATE = 16_000


@dataclass(frozen=True)
class Utterance:
    """One recording with what is said in it. `audio` is int16 at 16 kHz and may be a view into a mapped file."""

    audio: np.ndarray
    speaker: str
    phones: tuple[str, ...]
    text: str


def front_end_phones(front_end: Path, texts: list[str]) -> list[tuple[str, ...]]:
    """Phones of each text by flite's front end, without pauses and word boundaries; empty where flite gave none."""
    given = subprocess.run([front_end, "phones"], input="\n".join(texts) + "\n", capture_output=True, text=True, check=True).stdout
    found = [line.split("\t")[0].split() for line in given.rstrip("\n").split("\n")]
    if len(found) != len(texts):
        raise ValueError(f"the front end answered {len(found)} lines for {len(texts)} texts")
    return [tuple(phone for phone in phones if phone not in ("pau", "_")) for phones in found]


def write(path: Path, utterances: list[Utterance]) -> None:
    """Write a pool; `path` is its name without ending. The table gets its name last: where it is, the pool is whole."""
    offset, unfinished = 0, Path(f"{path}.tsv.part")
    with open(f"{path}.pcm", "wb") as samples, unfinished.open("w") as table:
        for item in utterances:
            samples.write(item.audio.astype("<i2").tobytes())
            table.write(f"{offset}\t{len(item.audio)}\t{item.speaker}\t{' '.join(item.phones)}\t{item.text}\n")
            offset += len(item.audio)
    unfinished.rename(f"{path}.tsv")
    print(f"{path.name}: {len(utterances)} utterances, {offset / RATE / 60:.1f} min", flush=True)


def read(path: Path) -> list[Utterance]:
    """Read a pool; the audio stays on the disk until it is used."""
    samples = np.memmap(f"{path}.pcm", "<i2", "r")
    found = []
    for line in open(f"{path}.tsv"):
        offset, count, speaker, phones, text = line.rstrip("\n").split("\t")
        found.append(Utterance(samples[int(offset) : int(offset) + int(count)], speaker, tuple(phones.split()), text))
    return found
