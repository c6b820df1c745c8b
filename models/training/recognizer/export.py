"""A checkpoint as model.onnx in zipformer_ctc form, weights stored as int8 with a scale per output channel.

The graph computes in float32: `Cast` and `Mul` restore the weights, and onnxruntime folds them when it loads the file. sherpa-onnx reads the
file as `zipformerCtc`.
It prints how far batched is from alone, and how far the stored weights are from the trained ones.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from network import Network
from phones import SYMBOLS

SMALLEST_STORED = 2048
"""Tensors with fewer values stay float32."""


def largest_difference(network: Network) -> float:
    """Between log probabilities of three utterances in one batch and each alone."""
    generator = torch.Generator().manual_seed(1)
    x, lengths = torch.randn(3, 301, 80, generator=generator) * 2 - 8, torch.tensor([301, 204, 97])
    with torch.no_grad():
        together, counts = network(x, lengths)
        alone = [network(x[i : i + 1, : lengths[i]], lengths[i : i + 1])[0][0] for i in range(3)]
    return max((alone[i] - together[i, : counts[i]]).abs().max().item() for i in range(3))


def store_int8(model: onnx.ModelProto) -> float:
    """Replace the large weights in place; gives the largest relative error of one tensor."""
    kept, nodes, worst = [], [], 0.0
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < SMALLEST_STORED:
            kept.append(tensor)
            continue
        axes = tuple(range(1, values.ndim)) if values.ndim == 3 else (0,)
        scale = (np.abs(values).max(axis=axes, keepdims=True) / 127 + 1e-12).astype("f4")
        codes = np.round(values / scale).astype("i1")
        worst = max(worst, float(np.linalg.norm(codes * scale - values) / np.linalg.norm(values)))
        name = tensor.name
        kept += [numpy_helper.from_array(codes, f"{name}_q"), numpy_helper.from_array(scale, f"{name}_s")]
        nodes += [
            helper.make_node("Cast", [f"{name}_q"], [f"{name}_f"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{name}_f", f"{name}_s"], [name]),
        ]
    rest = list(model.graph.node)
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend(nodes + rest)
    return worst


def export(network: Network, path: Path) -> None:
    x, lengths = torch.randn(2, 301, 80) * 2 - 8, torch.tensor([301, 204])
    modern = {"dynamo": False} if torch.__version__ >= "2" else {}
    torch.onnx.export(
        network, (x, lengths), str(path), opset_version=16, input_names=["x", "x_lens"], output_names=["log_probs", "log_probs_len"],
        dynamic_axes={"x": {0: "N", 1: "T"}, "x_lens": {0: "N"}, "log_probs": {0: "N", 1: "T4"}, "log_probs_len": {0: "N"}}, **modern,
    )  # fmt: skip
    model = onnx.load(str(path))
    described = {
        "model_type": "zipformer2_ctc", "subsampling_factor": "4", "vocab_size": str(len(SYMBOLS)), "version": "1",
        "comment": "phone CTC, 80 log-mel, 40 ms",
    }  # fmt: skip
    for key, value in described.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    print(f"int8 storage: largest relative error of a tensor {store_int8(model):.4f}")
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkpoint", type=Path, nargs="+", help="several are averaged")
    parser.add_argument("--blank-penalty", type=float, default=0.0, help="nats taken from the blank's score; tune.py finds it")
    parser.add_argument("--out", type=Path, required=True, help="folder for model.onnx and tokens.txt")
    options = parser.parse_args()
    states = [torch.load(path, map_location="cpu") for path in options.checkpoint]
    network = Network()
    network.load_state_dict({key: sum(s[key].float() for s in states) / len(states) for key in states[0]}, strict=True)
    with torch.no_grad():
        network.o.bias[0] -= options.blank_penalty
    network.eval()
    print(f"batched against alone: largest difference of a log probability {largest_difference(network):.1e}")
    export(network, options.out / "model.onnx")
    (options.out / "tokens.txt").write_text("".join(f"{symbol} {i}\n" for i, symbol in enumerate(SYMBOLS)))
    print(f"{(options.out / 'model.onnx').stat().st_size} bytes")


if __name__ == "__main__":
    main()
