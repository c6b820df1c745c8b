"""A checkpoint as model.onnx in waveform_ctc form, weights stored as int8 with a scale per output channel.

The graph computes in float32: `Cast` and `Mul` restore the weights, and onnxruntime folds them when it loads the file.
It prints how far batched is from alone, and how far the stored weights are from the trained ones.
"""

import argparse
import random
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

import pools
from network import FRAME_SAMPLES, WIDTH, Network, Thin
from phones import SYMBOLS

CLIPS = 20
"""How many clips of each pool channels are levelled on."""

SMALLEST_STORED = 2048
"""Tensors with fewer values stay float32."""


def largest_difference(network: Network) -> float:
    """Between log probabilities of three utterances in one batch and each alone."""
    generator = torch.Generator().manual_seed(1)
    audio, lengths = 0.1 * torch.randn(3, 48_160, generator=generator), torch.tensor([48_160, 32_640, 15_520])
    with torch.no_grad():
        together, counts = network(audio, lengths)
        alone = [network(audio[i : i + 1, : lengths[i]], lengths[i : i + 1])[0][0] for i in range(3)]
    return max((alone[i] - together[i, : counts[i]]).abs().max().item() for i in range(3))


def mix_channels(network: Network) -> None:
    """Turns the channels between the two matrices of each product, in place, by a turn drawn at random: the product stays the same.

    Without it the first channels carry nearly all of the energy, and of the others little is left when all are rounded to the same steps.
    """
    generator = torch.Generator().manual_seed(1)
    for module in network.modules():
        if isinstance(module, Thin):
            rank = module.narrow.out_features
            turn = torch.linalg.qr(torch.randn(rank, rank, generator=generator, dtype=torch.float64))[0]
            with torch.no_grad():
                module.narrow.weight.copy_(turn @ module.narrow.weight.double())
                module.wide.weight.copy_(module.wide.weight.double() @ turn.T)


def level_channels(network: Network, clips: list[torch.Tensor]) -> None:
    """Makes channels that are large on speech smaller and their weights larger, in place: linear maps after a normalization give the same (Xiao et al. 2022,
    https://arxiv.org/abs/2211.10438). When all channels are rounded to the same steps, a few large ones would leave nothing of the others."""
    pairs = [(norm, layer) for part in network.layers for norm, layer in ((part.n1, part.qkv.narrow), (part.n2, part.f1.narrow))]
    largest = [torch.zeros(WIDTH) for _ in pairs]

    def watch(i: int):
        def take(_module: torch.nn.Module, _given: tuple[torch.Tensor], made: torch.Tensor) -> None:
            largest[i] = torch.maximum(largest[i], made.abs().amax((0, 1)))

        return take

    hooks = [norm.register_forward_hook(watch(i)) for i, (norm, _) in enumerate(pairs)]
    with torch.no_grad():
        for clip in clips:
            network(clip[None], torch.tensor([len(clip)]))
        for hook, (norm, layer), values in zip(hooks, pairs, largest, strict=True):
            hook.remove()
            size = (values / layer.weight.abs().amax(0)).sqrt()
            size /= size.log().mean().exp()
            norm.weight.div_(size)
            norm.bias.div_(size)
            layer.weight.mul_(size)


def name_weights(model: onnx.ModelProto) -> None:
    """Gives the matrix of every linear map the name that it has in the checkpoint, in place; it stands here as [given, made]."""
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in stored:
            tensor = stored[node.input[1]]
            tensor.name = node.input[1] = node.name.strip("/").removesuffix("/MatMul").replace("/", ".") + ".weight"


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
    """Writes the graph with its metadata, the weights of linear maps under the names of the checkpoint, which `import_graph.py` reads."""
    audio, lengths = 0.1 * torch.randn(2, 48_160), torch.tensor([48_160, 32_640])
    modern = {"dynamo": False} if torch.__version__ >= "2" else {}
    torch.onnx.export(
        network, (audio, lengths), str(path), opset_version=17, input_names=["audio", "audio_lens"], output_names=["log_probs", "log_probs_len"],
        dynamic_axes={"audio": {0: "N", 1: "S"}, "audio_lens": {0: "N"}, "log_probs": {0: "N", 1: "T"}, "log_probs_len": {0: "N"}}, **modern,
    )  # fmt: skip
    model = onnx.load(str(path))
    name_weights(model)
    described = {
        "model_type": "waveform_ctc", "frame_samples": str(FRAME_SAMPLES), "vocab_size": str(len(SYMBOLS)), "version": "2",
        "comment": "phone CTC, samples at 16 kHz, 24 ms",
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
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--use", nargs="+", required=True, metavar="POOL", help="pools of training audio, on which channels are levelled")
    parser.add_argument("--out", type=Path, required=True, help="folder for model.onnx and tokens.txt")
    options = parser.parse_args()
    states = [torch.load(path, map_location="cpu") for path in options.checkpoint]
    network = Network()
    network.load_state_dict({key: sum(s[key].float() for s in states) / len(states) for key in states[0]}, strict=True)
    with torch.no_grad():
        network.head.bias[0] -= options.blank_penalty
    network.eval()
    draw = random.Random(11)
    items = [item for name in options.use for item in draw.sample(pools.read(options.pools / name), CLIPS)]
    level_channels(network, [torch.from_numpy(item.audio.astype("f4") / 32768) for item in items])
    mix_channels(network)
    print(f"batched against alone: largest difference of a log probability {largest_difference(network):.1e}")
    export(network, options.out / "model.onnx")
    (options.out / "tokens.txt").write_text("".join(f"{symbol} {i}\n" for i, symbol in enumerate(SYMBOLS)))
    print(f"{(options.out / 'model.onnx').stat().st_size} bytes")


if __name__ == "__main__":
    main()
