"""An optimizer for few hours on few cores: convolutions' weights take whitened steps, the rest AdamW's.

A step is the momentum times (mean of G Gᵀ)^-1/2, G the gradient as [outputs, inputs]: Shampoo with the outputs' side alone (Gupta et al., 2018), and with the
momentum's own product in place of the mean what Muon computes. All directions of the outputs move alike then, however seldom a batch asks for them. It costs a
sixth of a step's time here: the root is made anew every ten steps only.
"""

import torch
from torch import Tensor, nn

from network import Network

MOMENTUM = 0.95
KEEP = 0.95
"""Of the mean of G Gᵀ, at each step."""
ROOT_EVERY = 10
ROOT_AT_FIRST = 10
"""So many first steps make a root each: the mean is still young."""
RIDGE = 1e-3
"""Of the largest eigenvalue: directions without a gradient do not grow without bound."""
STEP_SIZE = 0.2
"""Root mean square of a step before the rate, about what Adam's have: the same rates fit."""
WEIGHT_DECAY = 1e-2


class Whitened(torch.optim.Optimizer):
    """Steps for weights [outputs, inputs, …] alone."""

    def __init__(self, parameters: list[nn.Parameter], rate: float):
        super().__init__(parameters, {"lr": rate})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is not None:
                    step = self._step_of(weight, weight.grad.flatten(1))
                    weight.mul_(1 - group["lr"] * WEIGHT_DECAY).add_(step.view_as(weight), alpha=-group["lr"])

    def _step_of(self, weight: Tensor, gradient: Tensor) -> Tensor:
        state = self.state[weight]
        if not state:
            side = gradient.shape[0]
            state |= {"step": 0, "momentum": torch.zeros_like(gradient), "product": gradient.new_zeros(side, side)}
        state["step"] += 1
        state["momentum"].lerp_(gradient, 1 - MOMENTUM)
        low = gradient.bfloat16()
        state["product"].lerp_((low @ low.T).float(), 1 - KEEP)
        if "root" not in state or state["step"] % ROOT_EVERY == 0 or state["step"] <= ROOT_AT_FIRST:
            state["root"] = inverse_root(state["product"] / (1 - KEEP ** state["step"]))
        step = (state["root"].bfloat16() @ gradient.lerp(state["momentum"], MOMENTUM).bfloat16()).float()
        return step * (STEP_SIZE / (step.square().mean().sqrt() + 1e-12))


def inverse_root(product: Tensor) -> Tensor:
    """product^-1/2 of a symmetric matrix without negative eigenvalues."""
    values, vectors = torch.linalg.eigh(product)
    values = values.clamp_min(0) + RIDGE * values[-1].clamp_min(1e-20)
    return (vectors * values.rsqrt()) @ vectors.T


class WhitenedConvolutions:
    """One optimizer out of two, for all parameters of a network."""

    def __init__(self, network: Network, rate: float):
        channels = network.o.in_channels
        wide = [p for p in network.parameters() if p.ndim == 3 and p.shape[0] == channels]
        chosen = {id(p) for p in wide}
        rest = [p for p in network.parameters() if id(p) not in chosen]
        self.parts = {"adam": adam(rest, rate), "whitened": Whitened(wide, rate)}

    @property
    def param_groups(self) -> list[dict]:
        return [group for part in self.parts.values() for group in part.param_groups]

    def step(self) -> None:
        for part in self.parts.values():
            part.step()

    def zero_grad(self) -> None:
        for part in self.parts.values():
            part.zero_grad()

    def state_dict(self) -> dict:
        return {name: part.state_dict() for name, part in self.parts.items()}

    def load_state_dict(self, state: dict) -> None:
        for name, part in self.parts.items():
            part.load_state_dict(state[name])


def adam(parameters: list[nn.Parameter], rate: float) -> torch.optim.AdamW:
    """What trains everything else, and everything without `--whitened`."""
    fused = {"fused": True} if torch.__version__ >= "2" else {}
    return torch.optim.AdamW(parameters, rate, betas=(0.9, 0.98), weight_decay=WEIGHT_DECAY, **fused)
