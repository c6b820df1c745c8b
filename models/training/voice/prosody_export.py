"""Writes the prosody graph into the model folder, its list of words and what each speaker keeps of the voice's own movement, and names them in model.yaml."""

import argparse
import hashlib
import io
import json
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from pack import SMALLEST, as_int8
from prosody import SIZES, Prosody, ProsodyGraph
from prosody_train import READERS

FILES = {"prosody": "prosody.onnx", "prosodyConfig": "prosody.json"}


def stored_small(model: onnx.ModelProto) -> onnx.ModelProto:
    """Weights as int8 with a scale per row; runtimes fold the multiplication when they load the model."""
    kept, nodes = [], []
    for tensor in model.graph.initializer:
        value = numpy_helper.to_array(tensor)
        if value.dtype == np.float32 and value.size >= SMALLEST and value.ndim in (2, 3):
            parts, more = as_int8(tensor)
            kept += parts
            nodes += more
        else:
            kept.append(tensor)
    rest = list(model.graph.node)
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.initializer.extend(kept)
    model.graph.node.extend([*nodes, *rest])
    onnx.checker.check_model(model)
    return model


def trace(graph: ProsodyGraph) -> onnx.ModelProto:
    inputs = (torch.randint(4, 40, (9,)), torch.zeros(9, len(SIZES), dtype=torch.long), torch.tensor([0]), torch.tensor([0.8]))
    buffer = io.BytesIO()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(graph.eval(), inputs, buffer, opset_version=17, input_names=["symbols", "columns", "speaker", "range"], output_names=["pitch"],
                          do_constant_folding=True, dynamo=False, dynamic_axes={"symbols": {0: "symbols"}, "columns": {0: "symbols"}, "pitch": {0: "symbols"}})
    return onnx.load_model_from_string(buffer.getvalue())


def declare(folder: Path) -> None:
    """Names the files in model.yaml, after the lexicon."""
    path = folder / "model.yaml"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.split(":")[0].strip() not in FILES]
    after = next(i for i, line in enumerate(lines) if line.startswith("  lexicon:")) + 1
    digest = lambda name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
    lines[after:after] = [f"  {role}: {{ path: {name}, sha256: {digest(name)} }}" for role, name in FILES.items()]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    parser.add_argument("--own-range", type=float, nargs=len(READERS), required=True, help="share of the voice's own movement that lj and kathleen keep")
    parser.add_argument("--semitones", type=float, nargs=len(READERS), required=True, help="semitones per unit of the network, for lj and kathleen")
    options = parser.parse_args()
    weights = torch.load(options.checkpoint)
    network = Prosody(*weights["spk.weight"].shape)
    network.load_state_dict(weights)
    speakers = json.loads((options.model / "model.onnx.json").read_text(encoding="utf-8"))["speaker_id_map"]
    given = dict(zip(READERS, zip(options.semitones, options.own_range)))
    semitones, own_range = (list(side) for side in zip(*[given.get(name, (0.0, 1.0)) for name in speakers]))
    model = stored_small(trace(ProsodyGraph(network.eval(), semitones, own_range)))
    (options.model / FILES["prosody"]).write_bytes(model.SerializeToString())
    config = options.model / FILES["prosodyConfig"]
    words = json.loads(config.read_text(encoding="utf-8"))["words"]
    lines = [" ".join(json.dumps(word) + "," for word in words[i : i + 16]) for i in range(0, len(words), 16)]
    body = "\n    ".join(lines).rstrip(",")
    config.write_text(f'{{\n  "ownRange": {json.dumps(own_range)},\n  "words": [\n    {body}\n  ]\n}}\n', encoding="utf-8")
    declare(options.model)
    print("bytes:", (options.model / FILES["prosody"]).stat().st_size, "operators:", len(model.graph.node))


if __name__ == "__main__":
    main()
