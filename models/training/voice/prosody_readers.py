"""More readers for the prosody network: a pool of recordings with texts (`../recognizer/pools.py`), such as LibriSpeech's.

Such texts have no punctuation. Each is aligned twice: first the words as they are, with `align.py`, then a comma is written where the reader paused for more
than 0.16 s and a full stop where for more than 0.6 s, and the front end reads that. Run it with `--first`, then `align.py --work WORK/parley --human
readers --flite`, then without, in an environment with praat-parselmouth. Writes WORK/parley/readers/prosody.npz.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import scipy.io.wavfile

from prosody_corpora import phones_of, read_texts
from symbols import PAUSES, SYMBOLS, WORD

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "recognizer"))

COMMA_SECONDS, STOP_SECONDS = 0.16, 0.6
FARTHEST = 0.65
"""Natural log of F0 over the reader's median, beyond which the tracker is not believed."""


def first(folder: Path, pool: Path, model: Path) -> None:
    """Sound and phones of every utterance."""
    import pools

    (folder / "16k").mkdir(parents=True, exist_ok=True)
    found = {f"u{i:04d}": item for i, item in enumerate(pools.read(pool))}
    columns = read_texts([(key, item.text) for key, item in found.items()], model)
    table = []
    for key, item in found.items():
        scipy.io.wavfile.write(folder / "16k" / f"{key}.wav", pools.RATE, np.asarray(item.audio, dtype="<i2"))
        table.append({"id": key, "text": item.text, "held_out": False, "speaker": item.speaker, "phones": phones_of(columns[key]["symbols"])})
    (folder / "utterances.json").write_text(json.dumps(table))
    (folder / "columns.json").write_text(json.dumps(columns))


def kept_places(columns: dict) -> list[int]:
    return [i for i, row in enumerate(columns["rows"]) if row is not None]


def is_phone(symbol: str) -> bool:
    return symbol != WORD and symbol not in PAUSES


def punctuated(text: str, columns: dict, times: list[list]) -> str | None:
    """The text with the reader's pauses as punctuation; None where words and phones cannot be matched."""
    words, silences = text.split(), []
    for place, (_, _, start, end) in zip(kept_places(columns), times[1:]):
        if not is_phone(columns["symbols"][place]):
            silences.append(end - start)
    if len(silences) != len(words):
        return None
    marked = [word + ("." if silence > STOP_SECONDS else "," if silence > COMMA_SECONDS else "") for word, silence in zip(words, silences)]
    begins = [True, *[word.endswith(".") for word in marked[:-1]]]
    return " ".join(word.capitalize() if start else word for word, start in zip(marked, begins)).rstrip(".,") + "."


def measured(folder: Path, key: str, columns: dict, times: list[tuple[float, float]]) -> dict[str, np.ndarray]:
    """Log F0 of every symbol and in how many frames of 8 ms it was heard; `times` are those of the phones."""
    import parselmouth

    rate, samples = scipy.io.wavfile.read(folder / "16k" / f"{key}.wav")
    track = parselmouth.Sound(samples / 32768, rate).to_pitch_ac(time_step=0.008, pitch_floor=70, pitch_ceiling=450)
    seconds, hz = track.xs(), track.selected_array["frequency"]
    voiced, places = hz > 0, kept_places(columns)
    pitch, weight = np.zeros(len(places) + 1, "f4"), np.zeros(len(places) + 1, "f4")
    spoken = iter(times)
    for k, place in enumerate(places, 1):
        if is_phone(columns["symbols"][place]):
            begin, end = np.searchsorted(seconds, next(spoken))
            heard = voiced[begin:end]
            if heard.sum() >= 2:
                pitch[k], weight[k] = np.log(hz[begin:end][heard]).mean(), min(heard.sum(), 20)
    rows = np.array([[0] * len(columns["rows"][places[0]]), *[columns["rows"][i] for i in places]]).astype("i2")
    ids = np.array([SYMBOLS.index("^"), *[SYMBOLS.index(columns["symbols"][i]) for i in places]])
    return {"ids": ids, "rows": rows, "pitch": pitch, "weight": weight}


def normalize(clips: list[dict[str, np.ndarray]]) -> None:
    """Pitch in standard deviations of one reader's."""
    pitch, weight = (np.concatenate([clip[name] for clip in clips]) for name in ("pitch", "weight"))
    median = np.median(pitch[weight > 0])
    for clip in clips:
        clip["weight"] = np.where(np.abs(clip["pitch"] - median) > FARTHEST, 0, clip["weight"]).astype("f4")
    weight = np.concatenate([clip["weight"] for clip in clips])
    mean = np.average(pitch, weights=weight)
    spread = np.sqrt(np.average((pitch - mean) ** 2, weights=weight))
    for clip in clips:
        clip["pitch"] = np.where(clip["weight"] > 0, (clip["pitch"] - mean) / spread, 0).astype("f4")


def second(folder: Path, model: Path) -> None:
    table = {row["id"]: row for row in json.loads((folder / "utterances.json").read_text())}
    columns, alignment = json.loads((folder / "columns.json").read_text()), json.loads((folder / "alignment.json").read_text())
    texts = {key: punctuated(table[key]["text"], columns[key], times) for key, times in alignment.items()}
    read = read_texts([(key, text) for key, text in texts.items() if text is not None], model)
    readers: dict[str, list[dict[str, np.ndarray]]] = {}
    for key, again in read.items():
        times = [(start, end) for place, (_, _, start, end) in zip(kept_places(columns[key]), alignment[key][1:]) if is_phone(columns[key]["symbols"][place])]
        if len(times) == sum(is_phone(again["symbols"][i]) for i in kept_places(again)):
            readers.setdefault(table[key]["speaker"], []).append({"key": np.array(key), **measured(folder, key, again, times)})
    out = {}
    for number, (_, clips) in enumerate(sorted(readers.items())):
        normalize(clips)
        for clip in clips:
            key = str(clip.pop("key"))
            out |= {f"{key}/{name}": value for name, value in {**clip, "reader": np.array(number)}.items()}
    np.savez(folder / "prosody.npz", **out)
    print(f"{len(read)} utterances of {len(readers)} readers", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    parser.add_argument("--first", type=Path, metavar="POOL", help="prepare the pool (its name without ending) for align.py")
    options = parser.parse_args()
    folder = options.work / "parley" / "readers"
    if options.first:
        first(folder, options.first, options.model)
    else:
        second(folder, options.model)


if __name__ == "__main__":
    main()
