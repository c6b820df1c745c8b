"""The weights of a model.onnx as a checkpoint that train.py goes on from: the way back from export.py where only the graph was kept."""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from network import Network


def tensors(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Initializers by name, int8 ones times their scales."""
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    restored = {name.removesuffix("_q"): stored[name].astype("f4") * stored[f"{name.removesuffix('_q')}_s"] for name in stored if name.endswith("_q")}
    return stored | restored


def restore(model: onnx.ModelProto, blank_penalty: float) -> Network:
    """The network of the graph, without what export.py took from the blank's score."""
    values, network = tensors(model), Network()
    # Matrices stand in the graph as [given, made].
    state = {name: torch.from_numpy(np.array(values[name].T if own.dim() == 2 else values[name])) for name, own in network.state_dict().items()}
    network.load_state_dict(state)
    with torch.no_grad():
        network.head.bias[0] += blank_penalty
    return network.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", type=Path, help="model.onnx")
    parser.add_argument("--blank-penalty", type=float, default=0.0, help="what export.py took from the blank's score")
    parser.add_argument("out", type=Path, help="checkpoint")
    options = parser.parse_args()
    torch.save(restore(onnx.load(str(options.graph)), options.blank_penalty).state_dict(), options.out)


if __name__ == "__main__":
    main()
