"""The shipped voice as a checkpoint that training can go on from, with room for more speakers.

Weights that are stored as 8-bit integers come back as those integers times their scales: what the graph computes with. The exporter gave matrices of
linear layers names of its own; they are found by their shapes, in the order in which the graph uses them. A new speaker begins as the one that it
is said to be like, about its own mean and spread.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from dataset import load_speaker, statistics
from model import Voice

LINEAR = ("position", "attention.0.qkv", "attention.0.back", "attention.1.qkv", "attention.1.back", "place")
"""Linear layers without a name in the graph, in the order of their use."""


def stored_weights(path: Path) -> tuple[dict[str, np.ndarray], list[np.ndarray]]:
    """Tensors by their names in `Voice`, and the matrices that have none there, in the order of their use."""
    graph = onnx.load(str(path)).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    whole = {}
    for name, value in stored.items():
        stem = name.removesuffix("_int8")
        if stem != name:
            whole[stem] = value.astype("f4") * stored[f"{stem}_scale"]
        elif not name.endswith("_scale"):
            whole[name] = value
    used = [node.input[1] for node in graph.node if node.op_type == "MatMul" and node.input[1].startswith("onnx::MatMul")]
    named = {name.removeprefix("voice."): value for name, value in whole.items() if name.startswith("voice.")}
    return named, [whole[name] for name in used]


def voice_of(path: Path, speakers: int) -> Voice:
    named, matrices = stored_weights(path)
    voice = Voice(speakers)
    weights = voice.state_dict()
    for layer in LINEAR:
        shape = tuple(weights[f"{layer}.weight"].shape)
        at = next(i for i, matrix in enumerate(matrices) if matrix.T.shape == shape)
        named[f"{layer}.weight"] = matrices.pop(at).T
    voice.load_state_dict({name: torch.from_numpy(np.array(named[name])) if name in named else value for name, value in weights.items()})
    return voice


def with_speakers(voice: Voice, known: int, likes: list[int], figures: list[tuple[np.ndarray, np.ndarray]]) -> Voice:
    """The voice with a speaker more for each of `likes`, with its own mean and spread."""
    wider = Voice(known + len(likes))
    weights = {}
    for name, value in voice.state_dict().items():
        wanted = wider.state_dict()[name].shape
        weights[name] = value if value.shape == wanted else torch.cat([value, value[likes]])
    for i, (mean, spread) in enumerate(figures):
        weights["mean"][known + i], weights["spread"][known + i] = torch.tensor(mean), torch.tensor(spread)
    wider.load_state_dict(weights)
    return wider


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--new", nargs="*", default=[], metavar="NAME=LIKE", help="speakers to add, and whom each begins as")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    speakers = list(json.loads((options.model / "model.onnx.json").read_text(encoding="utf-8"))["speaker_id_map"])
    voice = voice_of(options.model / "model.onnx", len(speakers))
    new = [pair.split("=") for pair in options.new]
    figures = [statistics(load_speaker(options.work / name, 0)[0]) for name, _ in new]
    voice = with_speakers(voice, len(speakers), [speakers.index(like) for _, like in new], figures)
    weights = voice.state_dict()
    torch.save({"speakers": [*speakers, *[name for name, _ in new]], "model": weights, "average": weights}, options.out)


if __name__ == "__main__":
    main()
