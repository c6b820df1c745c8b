"""What the prosody network learns from: per clip the front end's columns, when each symbol is spoken, the reader's F0, and what the voice itself would do.

Needs the WORK folder after prosody_corpora.py and align.py, and onnx and onnxruntime. The voice's own pitch is taken at the reader's durations, out of the
middle of its graph, so that both can be compared frame by frame. Writes WORK/parley/SPEAKER/prosody.npz.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import scipy.io.wavfile

from analysis import track_pitch
from features import LEAD_FRAMES, PITCH_RANGE_HZ
from frames import HOP, NEUTRAL, RATE
from symbols import SYMBOLS, WORD, ids_of

LOG_F0 = "/Clip_12_output_0"
"""The tensor of model.onnx that holds log F0 of every frame."""


class Inside:
    """The voice's graph with its log F0 as a further output."""

    def __init__(self, folder: Path) -> None:
        model = onnx.load(str(folder / "model.onnx"))
        model.graph.output.append(onnx.helper.make_tensor_value_info(LOG_F0, onnx.TensorProto.FLOAT, None))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        self.numbers = json.loads((folder / "model.onnx.json").read_text(encoding="utf-8"))["speaker_id_map"]

    def run(self, symbols: list[str], speaker: str, factors: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Frames of each id and log F0 of each frame; `factors` multiply the durations of the ids."""
        ids = ids_of("".join(symbols))
        scales = np.array(NEUTRAL, np.float32)
        if factors is not None:
            scales = np.concatenate([scales, np.zeros(len(ids), np.float32), factors.astype(np.float32)])
        feeds = {"input": np.array([ids]), "input_lengths": np.array([len(ids)]), "scales": scales, "sid": np.array([self.numbers[speaker]])}
        durations, log_f0 = self.session.run(["durations", LOG_F0], feeds)
        return durations[0], log_f0.reshape(-1)


def timed(times: list[list], frames: int) -> list[tuple[int, int]]:
    """First frame and frames of each phone of an alignment, the leading pause first."""
    at = [min(int(round(end * RATE / HOP)), frames) for _, _, _, end in times]
    starts = [0, *at[:-1]]
    return [(start, max(end - start, 0)) for start, end in zip(starts, at)]


def clip(voice: Inside, speaker: str, columns: dict, times: list[list], samples: np.ndarray) -> dict[str, np.ndarray]:
    symbols = columns["symbols"]
    kept = [i for i, row in enumerate(columns["rows"]) if row is not None]
    f0, voiced = track_pitch(samples.astype("f8"), *PITCH_RANGE_HZ[speaker])
    spans = timed(times, len(f0))
    if len(spans) != len(kept) + 1:
        raise ValueError("the alignment has other phones than the front end")
    first = max(spans[0][1] - LEAD_FRAMES, 0)
    durations = np.array([spans[0][1] - first, *[count for _, count in spans[1:]]])
    f0, voiced = f0[first : first + durations.sum()], voiced[first : first + durations.sum()]
    # The voice's word boundaries last no time: a silence there goes to the phone before.
    held = durations.copy()
    for k, i in enumerate(kept, 1):
        if symbols[i] == WORD:
            held[k - 1], held[k] = held[k - 1] + held[k], 0
    places = np.array([0, *[2 + 2 * i for i in kept]])
    own, _ = voice.run(symbols, speaker)
    # `$` lasts where the text ends without a pause, which the front end's texts do not.
    wanted = np.ones(len(own))
    wanted[places] = held / np.maximum(own[places], 1)
    forced, own_log_f0 = voice.run(symbols, speaker, wanted)
    starts = np.cumsum(forced) - forced
    aligned = np.concatenate([np.interp(np.linspace(0, 1, n), np.linspace(0, 1, m), own_log_f0[s : s + m]) if n and m else np.full(n, np.nan)
                              for n, s, m in zip(held, starts[places], forced[places])])
    rows = np.array([[0] * len(columns["rows"][kept[0]]), *[columns["rows"][i] for i in kept]])
    ids = np.array([SYMBOLS.index("^"), *[SYMBOLS.index(symbols[i]) for i in kept]])
    return {"ids": ids, "rows": rows.astype("i2"), "durations": durations.astype("i2"), "held": held.astype("i2"), "own_durations": own[places].astype("i2"),
            "log_f0": np.log(f0).astype("f4"), "voiced": voiced, "own_log_f0": aligned.astype("f4")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    parser.add_argument("--speakers", nargs="+", default=["lj", "kathleen"])
    options = parser.parse_args()
    voice = Inside(options.model)
    for speaker in options.speakers:
        folder = options.work / "parley" / speaker
        columns, alignment = json.loads((folder / "columns.json").read_text()), json.loads((folder / "alignment.json").read_text())
        held_out = {row["id"] for row in json.loads((folder / "utterances.json").read_text()) if row["held_out"]}
        out: dict[str, np.ndarray] = {}
        for key, times in alignment.items():
            samples = scipy.io.wavfile.read(folder / "22k" / f"{key}.wav")[1]
            for name, value in clip(voice, speaker, columns[key], times, samples).items():
                out[f"{key}/{name}"] = value
            out[f"{key}/held_out"] = np.array(key in held_out)
        np.savez(folder / "prosody.npz", **out)
        print(f"{speaker}: {len(alignment)} clips", flush=True)


if __name__ == "__main__":
    main()
