"""model.int8.onnx from model.onnx: the same weights, with linear maps that multiply 8-bit integers (`../integers.py`).

Processors that have instructions for it (AVX-512 VNNI, AMX, Arm's dot products) run it in less time. What goes into a linear map is rounded to 256 steps
between its smallest and its largest value of the call, so answers are those of the audio alone where a call has one piece, as on a processor.
Weights stay in model.onnx: the file names their place there (`../borrowed_weights.py`). Run it after export.py; it names the file in model.yaml.
"""

import argparse
import sys
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import integers
from borrowed_weights import borrow_weights

FLOAT = ("/head/MatMul", "/conv2/wide/MatMul", "/conv3/narrow/MatMul", "/conv3/wide/MatMul")
"""What stays as it is: a few channels between the convolutions are so large that nothing of the others would be left, and it is little work."""


def declare(folder: Path, name: str) -> None:
    """Names the file in model.yaml, after the graph."""
    path = folder / "model.yaml"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("  int8:")]
    after = next(i for i, line in enumerate(lines) if line.startswith("  graph:")) + 1
    path.write_text("\n".join([*lines[:after], f"  int8: {{ path: {name} }}", *lines[after:], ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    options = parser.parse_args()
    model = onnx.load(str(options.model / "model.onnx"))
    stored = integers.Stored("_q", "_s")
    codes = {tensor.name for tensor in model.graph.initializer}
    maps = [node for node in model.graph.node if node.op_type == "MatMul" and node.name not in FLOAT and node.input[1] + stored.codes in codes]
    integers.with_integer_products(model, maps, stored)
    borrow_weights(model, options.model / "model.onnx")
    path = options.model / "model.int8.onnx"
    path.write_bytes(model.SerializeToString())
    declare(options.model, path.name)
    print(f"{len(maps)} linear maps; {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
