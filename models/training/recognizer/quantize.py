"""model.int8.onnx from model.onnx: the same weights, with convolutions that multiply 8-bit integers (`../integers.py`).

Processors that have instructions for it (AVX-512 VNNI, AMX, Arm's dot products) run it in a third of the time. The ranges are measured on
training audio. Weights stay in model.onnx: the file names their place there (`../borrowed_weights.py`). Run it after export.py; it names the file in model.yaml.
"""

import argparse
import random
import sys
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import integers
import pools
from borrowed_weights import borrow_weights
from features import log_mel

CLIPS = 240
"""Clips whose values are measured: as many from each pool."""

FLOAT = ("/o/Conv",)
"""What stays as it is: the scores reach from -200 to 140, and their steps would be more than a nat each."""


def declare(folder: Path, name: str) -> None:
    """Names the file in model.yaml, after the graph."""
    path = folder / "model.yaml"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("  int8:")]
    after = next(i for i, line in enumerate(lines) if line.startswith("  graph:")) + 1
    path.write_text("\n".join([*lines[:after], f"  int8: {{ path: {name} }}", *lines[after:], ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--use", nargs="+", required=True, metavar="POOL", help="pools of training audio")
    options = parser.parse_args()
    draw, examples = random.Random(11), []
    for name in options.use:
        items = pools.read(options.pools / name)
        for item in draw.sample(items, min(len(items), CLIPS // len(options.use))):
            frames = log_mel(item.audio.astype("f4") / 32768).numpy()
            examples.append({"x": frames[None], "x_lens": np.array([len(frames)])})
    model = onnx.load(str(options.model / "model.onnx"))
    convolutions = [node for node in model.graph.node if node.op_type == "Conv" and node.name not in FLOAT]
    names = list(dict.fromkeys(name for node in convolutions for name in (node.input[0], integers.result_of(model, node))))
    ranges = integers.measured(model, names, examples)
    integers.with_integers(model, convolutions, ranges, integers.Stored("_q", "_s"))
    borrow_weights(model, options.model / "model.onnx")
    path = options.model / "model.int8.onnx"
    path.write_bytes(model.SerializeToString())
    declare(options.model, path.name)
    print(f"{len(examples)} clips measured; {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
