"""The mean of checkpoints of several runs that began with the same weights, its normalizations measured anew on training audio.

Runs that differ in seed and rate stay close enough that their mean is likelier than either; but means and variances of what reaches a
normalization are not the mean of theirs.
"""

import argparse
import random
from pathlib import Path

import torch
from torch import nn

import train
from augment import STRENGTHS, Augmenter, Strength
from network import Network

BATCHES = 60
"""How many training batches the means and variances are measured on."""

SEED = 5


def mean_of(checkpoints: list[Path]) -> Network:
    states = [torch.load(path, map_location="cpu") for path in checkpoints]
    network = Network(drop=0, skip=0)
    network.load_state_dict({key: (sum(s[key].float() for s in states) / len(states)).to(states[0][key].dtype) for key in states[0]})
    return network


def measure(network: Network, folder: Path, mix: list[str], strength: Strength) -> None:
    """Gives each normalization the mean over BATCHES batches."""
    rng = random.Random(SEED)
    sources = train.sources(folder, mix, rng)
    augmenter = Augmenter([audio for source in sources if source.ready() for audio, _ in source.items[:40]], SEED, strength)
    for module in network.modules():
        if isinstance(module, nn.BatchNorm1d):
            module.reset_running_stats()
            module.momentum = None
    network.train()
    made = train.batches(sources, rng)
    with torch.no_grad():
        for _ in range(BATCHES):
            network.body(*train.collate(network, augmenter, next(made))[:2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--mix", nargs="+", required=True, metavar="POOL=SHARE", help="as train.py takes it")
    parser.add_argument("--augment", choices=STRENGTHS, default="full", help="as train.py took it: the normalizations fit what they are measured on")
    parser.add_argument("--out", type=Path, required=True, help="checkpoint")
    options = parser.parse_args()
    torch.set_num_threads(1)
    random.seed(SEED)
    torch.manual_seed(SEED)
    network = mean_of(options.checkpoints)
    measure(network, options.pools, options.mix, STRENGTHS[options.augment])
    torch.save(network.state_dict(), options.out)


if __name__ == "__main__":
    main()
