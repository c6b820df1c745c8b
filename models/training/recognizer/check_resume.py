"""Whether training goes on where it was stopped: what Run.save wrote and Run.load read is the same bit by bit, and so is the next step's loss."""

import copy
import tempfile
from pathlib import Path

import torch

import train
from network import Network


def fresh() -> train.Run:
    torch.manual_seed(1)
    network = Network(layers=1)
    return train.Run(network, copy.deepcopy(network), train.optimizer_of(network, 1e-3))


def batch(seed: int) -> train.Batch:
    """Two utterances of noise with a few phones each."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(2, 19_200, generator=generator), torch.tensor([19_200, 14_400]), torch.randint(1, 41, (9,), generator=generator), torch.tensor([5, 4])


def step(run: train.Run, seed: int) -> None:
    train.learn(run, batch(seed), bf16=False)
    train.average(run.mean, run.network, 0.9)


def optimizer_state(run: train.Run) -> list[dict]:
    return list(run.optimizer.state.values())


def differing(first: train.Run, second: train.Run) -> list[str]:
    """Parts of the state that are not the same, bit by bit."""
    pairs = {
        "last weights": (first.network.state_dict(), second.network.state_dict()),
        "mean weights": (first.mean.state_dict(), second.mean.state_dict()),
    } | {f"optimizer, tensor {i}": pair for i, pair in enumerate(zip(optimizer_state(first), optimizer_state(second), strict=True))}
    found = [name for name, (a, b) in pairs.items() if a.keys() != b.keys() or not all(torch.equal(torch.as_tensor(a[key]), torch.as_tensor(b[key])) for key in a)]
    counts = [name for name in ("seconds", "audio", "step", "loss") if getattr(first, name) != getattr(second, name)]
    return found + counts


def main() -> None:
    torch.set_num_threads(1)
    stopped, resumed = fresh(), fresh()
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
    print(f"the same state and the same next step after {stopped.step - 1} steps and a stop")


if __name__ == "__main__":
    main()
