"""Checks model.onnx against its contract: names, shapes, metadata, tokens, batched equals alone; prints how fast it is on one thread."""

import argparse
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch

from network import frame_counts
from phones import SYMBOLS

LENGTHS = (48_160, 32_640, 15_520, 3_200, 160_000)
LARGEST_DIFFERENCE = 2e-3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    options = parser.parse_args()
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(options.model / "model.onnx"), settings, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()], [value.name for value in session.get_outputs()]
    if names != (["audio", "audio_lens"], ["log_probs", "log_probs_len"]):
        raise SystemExit(f"inputs and outputs are {names}")
    if session.get_outputs()[0].shape[2] != len(SYMBOLS):
        raise SystemExit("the number of symbols must be fixed in the graph")
    tokens = [line.split(" ") for line in (options.model / "tokens.txt").read_text().rstrip("\n").split("\n")]
    if tokens != [[symbol, str(i)] for i, symbol in enumerate(SYMBOLS)]:
        raise SystemExit("tokens.txt does not have the symbols of the network")
    print(session.get_modelmeta().custom_metadata_map)
    rng = np.random.default_rng(1)
    audio = (0.1 * rng.standard_normal((len(LENGTHS), max(LENGTHS)))).astype("f4")
    together, counts = session.run(None, {"audio": audio, "audio_lens": np.array(LENGTHS)})
    worst = 0.0
    for i, length in enumerate(LENGTHS):
        alone, count = session.run(None, {"audio": audio[i : i + 1, :length], "audio_lens": np.array([length])})
        if count[0] != counts[i] or count[0] != frame_counts(torch.tensor(length))[1]:
            raise SystemExit(f"{length} samples give {count[0]} alone and {counts[i]} batched")
        worst = max(worst, float(np.abs(alone[0] - together[i, : counts[i]]).max()))
    print(f"batched against alone: largest difference of a log probability {worst:.1e}")
    if worst > LARGEST_DIFFERENCE:
        raise SystemExit("a batch changes the result")
    begin = time.process_time()
    for _ in range(5):
        session.run(None, {"audio": audio[-1:], "audio_lens": np.array(LENGTHS[-1:])})
    print(f"10 s at once: {50 / (time.process_time() - begin):.0f} times real time by processor time, one thread")


if __name__ == "__main__":
    main()
