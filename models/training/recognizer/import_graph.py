"""The weights of a model.onnx as a checkpoint that train.py goes on from: the way back from export.py where only the graph was kept.

The graph holds each normalization folded into its convolution and no middle head. The means and variances that training starts with are
measured on training audio, and the weights of a channel are scaled to a common size, which the normalization undoes: folded ones are ten
times smaller, and a step of the optimizer would change them ten times as much. In evaluation the network computes what the graph does.
"""

import argparse
import random
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

import train
from augment import Augmenter
from network import Network

BATCHES = 40
"""How many training batches the means and variances are measured on."""

WEIGHT_SIZE = 0.1
"""Standard deviation of a channel's weights, about that of a network which was trained from the start."""


def tensors(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Initializers by name, int8 ones times their scales."""
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    restored = {name.removesuffix("_q"): stored[name].astype("f4") * stored[f"{name.removesuffix('_q')}_s"] for name in stored if name.endswith("_q")}
    return stored | restored


def folded(network: Network) -> list[tuple[str, nn.Conv1d, nn.BatchNorm1d]]:
    """Convolutions that a normalization follows, by the name of the graph's node."""
    blocks = [(f"/r.{i}/a/Conv", block.a, block.n) for i, block in enumerate(network.r)]
    return [("/c1/Conv", network.c1, network.n1), ("/c2/Conv", network.c2, network.n2), *blocks]


def restore(model: onnx.ModelProto, blank_penalty: float, middle: dict[str, torch.Tensor] | None) -> Network:
    """The network whose normalizations still do nothing but add the folded bias. `middle` is an older checkpoint that has the middle head."""
    values, network = tensors(model), Network()
    state = network.state_dict()
    for name in state:
        if name in values:
            state[name] = torch.from_numpy(np.array(values[name]))
    network.load_state_dict(state)
    inputs = {node.name: node.input for node in model.graph.node}
    with torch.no_grad():
        for name, convolution, norm in folded(network):
            _, weight, bias = inputs[name]
            convolution.weight.copy_(torch.from_numpy(np.array(values[weight])))
            if convolution.bias is not None:
                convolution.bias.zero_()
            norm.weight.copy_(torch.full_like(norm.weight, (1 + norm.eps) ** 0.5))
            norm.bias.copy_(torch.from_numpy(np.array(values[bias])))
        network.o.bias[0] += blank_penalty
        network.om.load_state_dict({name: middle[f"om.{name}"] for name in ("weight", "bias")} if middle else network.o.state_dict())
    return network


def measure(network: Network, batches: list[tuple[torch.Tensor, torch.Tensor]]) -> None:
    """Give each normalization the mean and variance of what reaches it, and a scale and shift that undo them."""
    network.eval()
    sums = {name: [0, 0.0, 0.0] for name, _, _ in folded(network)}

    def watch(name: str):
        def take(_module: nn.Module, _given: tuple[torch.Tensor], made: torch.Tensor) -> None:
            entry = sums[name]
            entry[0] += made.shape[0] * made.shape[2]
            entry[1] = entry[1] + made.sum((0, 2)).double()
            entry[2] = entry[2] + (made.double() ** 2).sum((0, 2))

        return take

    hooks = [convolution.register_forward_hook(watch(name)) for name, convolution, _ in folded(network)]
    with torch.no_grad():
        for x, lengths in batches:
            network.body(x, lengths)
        for name, convolution, norm in folded(network):
            count, whole, squares = sums[name]
            mean = whole / count
            factor = WEIGHT_SIZE / convolution.weight.std((1, 2)).double()
            variance = (squares / count - mean**2) * factor**2
            convolution.weight.mul_(factor.float()[:, None, None])
            norm.running_mean.copy_(mean * factor)
            norm.running_var.copy_(variance)
            norm.weight.copy_((variance + norm.eps).sqrt() / factor)
            norm.bias.add_(mean.float())
    for hook in hooks:
        hook.remove()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("graph", type=Path, help="model.onnx")
    parser.add_argument("--blank-penalty", type=float, default=0.0, help="what export.py took from the blank's score")
    parser.add_argument("--middle", type=Path, help="an older checkpoint whose middle head is taken; without it the last head is copied")
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--mix", nargs="+", required=True, metavar="POOL=SHARE", help="as train.py takes it")
    parser.add_argument("out", type=Path, help="checkpoint")
    options = parser.parse_args()
    torch.manual_seed(1)
    rng = random.Random(1)
    middle = torch.load(options.middle, map_location="cpu") if options.middle else None
    network = restore(onnx.load(str(options.graph)), options.blank_penalty, middle)
    sources = train.sources(options.pools, options.mix, rng)
    augmenter = Augmenter([audio for source in sources if source.ready() for audio, _ in source.items[:40]], 1)
    network.train()
    made = train.batches(sources, rng)
    batches = [train.collate(network, augmenter, next(made))[:2] for _ in range(BATCHES)]
    network.eval()
    probe = torch.randn(1, 400, 80) * 2 - 8
    before = network(probe, torch.tensor([400]))[0].detach()
    measure(network, batches)
    after = network(probe, torch.tensor([400]))[0].detach()
    print(f"largest change of a log probability by the measured normalizations: {(after - before).abs().max():.1e}")
    torch.save(network.state_dict(), options.out)


if __name__ == "__main__":
    main()
