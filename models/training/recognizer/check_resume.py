"""Whether training goes on where it was stopped: what Run.save wrote and Run.load read is the same bit by bit, and so is the next step's loss."""

import copy
import random
import tempfile
from pathlib import Path

import torch

import train
from network import Network
from whitened import WhitenedConvolutions, adam

Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def fresh(whitened: bool) -> train.Run:
    network = Network(channels=16)
    optimizer = WhitenedConvolutions(network, 1e-3) if whitened else adam(list(network.parameters()), 1e-3)
    return train.Run(network, copy.deepcopy(network), optimizer)


def batch(seed: int) -> Batch:
    """Two utterances of noise with a few phones each."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(2, 120, 80, generator=generator), torch.tensor([120, 90]), torch.randint(1, 41, (9,), generator=generator), torch.tensor([5, 4])


def step(run: train.Run, seed: int) -> None:
    """A step whose dropped channels and skipped blocks depend on the seed alone."""
    torch.manual_seed(seed)
    random.seed(seed)
    train.learn(run, batch(seed), bf16=False)
    train.average(run.mean, run.network, 0.9)


def optimizer_state(run: train.Run) -> list[dict]:
    parts = run.optimizer.parts.values() if isinstance(run.optimizer, WhitenedConvolutions) else [run.optimizer]
    return [state for part in parts for state in part.state.values()]


def differing(first: train.Run, second: train.Run) -> list[str]:
    """Parts of the state that are not the same, bit by bit."""
    pairs = {
        "last weights": (first.network.state_dict(), second.network.state_dict()),
        "mean weights": (first.mean.state_dict(), second.mean.state_dict()),
    } | {f"optimizer, tensor {i}": pair for i, pair in enumerate(zip(optimizer_state(first), optimizer_state(second), strict=True))}
    found = [name for name, (a, b) in pairs.items() if a.keys() != b.keys() or not all(torch.equal(torch.as_tensor(a[key]), torch.as_tensor(b[key])) for key in a)]
    counts = [name for name in ("seconds", "audio", "step", "loss") if getattr(first, name) != getattr(second, name)]
    return found + counts


def check(whitened: bool) -> None:
    stopped, resumed = fresh(whitened), fresh(whitened)
    for seed in range(3):
        step(stopped, seed)
    stopped.seconds = 12.5
    with tempfile.TemporaryDirectory() as folder:
        stopped.save(Path(folder))
        resumed.load(Path(folder))
    if found := differing(stopped, resumed):
        raise SystemExit(f"not the same after a stop: {', '.join(found)}")
    for run in (stopped, resumed):
        step(run, 3)
    if abs(stopped.loss - resumed.loss) > 1e-5 or stopped.step != resumed.step:
        raise SystemExit("the step after a stop is another one")
    print(f"{'whitened: ' if whitened else ''}the same state and the same next step after {stopped.step - 1} steps and a stop")


def main() -> None:
    torch.set_num_threads(1)
    for whitened in (False, True):
        check(whitened)


if __name__ == "__main__":
    main()
