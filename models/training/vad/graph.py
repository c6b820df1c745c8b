"""The shipped form: a TensorFlow.js graph model, `model.json` and `weights.bin`. Written and read here without TensorFlow."""

import base64
import json
from pathlib import Path

import numpy as np
import torch

from network import BANDS, Detector

text = lambda value: base64.b64encode(value.encode()).decode()
FLOAT = {"type": "DT_FLOAT"}


def constant(name: str, values: np.ndarray) -> dict:
    shape = {"dim": [{"size": str(size)} for size in values.shape]}
    return {"name": name, "op": "Const", "attr": {"dtype": FLOAT, "value": {"tensor": {"dtype": "DT_FLOAT", "tensorShape": shape}}}}


def convolution(name: str, inputs: list, dilation: int, fused: list) -> dict:
    attributes = {
        "T": FLOAT,
        "num_args": {"i": "1"},
        "strides": {"list": {"i": ["1", "1", "1", "1"]}},
        "dilations": {"list": {"i": ["1", "1", str(dilation), "1"]}},
        "padding": {"s": text("VALID")},
        "data_format": {"s": text("NHWC")},
        "fused_ops": {"list": {"s": [text(op) for op in fused]}},
        "epsilon": {"f": 0},
    }
    return {"name": name, "op": "_FusedConv2D", "input": inputs, "attr": attributes}


def write(detector: Detector, folder: Path) -> None:
    rows = {"dim": [{"size": "1"}, {"size": "1"}, {"size": "-1"}, {"size": str(BANDS)}]}
    nodes = [{"name": "features", "op": "Placeholder", "attr": {"dtype": FLOAT, "shape": {"shape": rows}}}]
    weights, before, layers = [], "features", detector.folded()
    for number, (kernel, bias, dilation) in enumerate(layers):
        last = number == len(layers) - 1
        named = {f"layer{number}/kernel": kernel[None].astype("<f4"), f"layer{number}/bias": bias.astype("<f4")}
        weights += named.items()
        nodes += [constant(name, values) for name, values in named.items()]
        fused = ["BiasAdd"] if last else ["BiasAdd", "Relu"]
        nodes.append(convolution(f"layer{number}", [before, *named], dilation, fused))
        before = f"layer{number}"
    nodes.append({"name": "speech", "op": "Sigmoid", "input": [before], "attr": {"T": FLOAT}})
    listed = [{"name": name, "shape": list(values.shape), "dtype": "float32"} for name, values in weights]
    model = {
        "format": "graph-model",
        "generatedBy": "models/training/vad/graph.py",
        "convertedBy": None,
        "modelTopology": {"node": nodes, "versions": {"producer": 1087}},
        "weightsManifest": [{"paths": ["weights.bin"], "weights": listed}],
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.json").write_text(json.dumps(model, separators=(",", ":")) + "\n")
    (folder / "weights.bin").write_bytes(b"".join(np.ascontiguousarray(values).tobytes() for _, values in weights))


def read(folder: Path) -> Detector:
    """The shipped weights in PyTorch; its norms do nothing."""
    model = json.loads((folder / "model.json").read_text())
    values = np.frombuffer((folder / "weights.bin").read_bytes(), "<f4")
    tensors, at = [], 0
    for entry in model["weightsManifest"][0]["weights"]:
        size = int(np.prod(entry["shape"]))
        tensors.append(torch.from_numpy(values[at : at + size].reshape(entry["shape"]).copy()))
        at += size
    detector = Detector().eval()
    with torch.no_grad():
        for number, convolution in enumerate([*detector.convolutions, detector.out]):
            convolution.weight.copy_(tensors[2 * number][0].permute(2, 1, 0))
            convolution.bias.copy_(tensors[2 * number + 1])
        for norm in detector.norms:
            norm.eps = 0.0
    return detector
