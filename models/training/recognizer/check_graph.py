"""Checks model.onnx against its contract: names, shapes, metadata, tokens, batched equals alone; prints how fast it is on one thread."""

import argparse
import time
from pathlib import Path

import numpy as np
import onnxruntime

from phones import SYMBOLS

LENGTHS = (301, 204, 97, 20, 1000)
LARGEST_DIFFERENCE = 2e-3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    options = parser.parse_args()
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(options.model / "model.onnx"), settings, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()], [value.name for value in session.get_outputs()]
    if names != (["x", "x_lens"], ["log_probs", "log_probs_len"]):
        raise SystemExit(f"inputs and outputs are {names}")
    if session.get_outputs()[0].shape[2] != len(SYMBOLS):
        raise SystemExit("the number of symbols must be fixed in the graph")
    tokens = [line.split(" ") for line in (options.model / "tokens.txt").read_text().rstrip("\n").split("\n")]
    if tokens != [[symbol, str(i)] for i, symbol in enumerate(SYMBOLS)]:
        raise SystemExit("tokens.txt does not have the symbols of the network")
    print(session.get_modelmeta().custom_metadata_map)
    rng = np.random.default_rng(1)
    x = (rng.standard_normal((len(LENGTHS), max(LENGTHS), 80)) * 2 - 8).astype("f4")
    together, counts = session.run(None, {"x": x, "x_lens": np.array(LENGTHS)})
    worst = 0.0
    for i, length in enumerate(LENGTHS):
        alone, count = session.run(None, {"x": x[i : i + 1, :length], "x_lens": np.array([length])})
        if count[0] != counts[i] or count[0] != -(-length // 4):
            raise SystemExit(f"{length} frames give {count[0]} alone and {counts[i]} batched")
        worst = max(worst, float(np.abs(alone[0] - together[i, : counts[i]]).max()))
    print(f"batched against alone: largest difference of a log probability {worst:.1e}")
    if worst > LARGEST_DIFFERENCE:
        raise SystemExit("a batch changes the result")
    begin = time.process_time()
    for _ in range(5):
        session.run(None, {"x": x[-1:], "x_lens": np.array(LENGTHS[-1:])})
    print(f"10 s at once: {50 / (time.process_time() - begin):.0f} times real time by processor time, one thread")


if __name__ == "__main__":
    main()
