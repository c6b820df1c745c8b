"""The ONNX form, made from `model.json` and `weights.bin`: `onnx_graph.py FOLDER` writes `model.onnx`."""

import json
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save


def write(folder: Path) -> None:
    """Input `features` [1, rows, bands], output `speech` [1, 1, answers]; the same numbers in the same order."""
    model = json.loads((folder / "model.json").read_text())
    values = np.frombuffer((folder / "weights.bin").read_bytes(), "<f4")
    tensors, at = {}, 0
    for entry in model["weightsManifest"][0]["weights"]:
        size = int(np.prod(entry["shape"]))
        tensors[entry["name"]] = values[at : at + size].reshape(entry["shape"])
        at += size
    layers = [node for node in model["modelTopology"]["node"] if node["op"] == "_FusedConv2D"]
    nodes = [helper.make_node("Transpose", ["features"], ["bands"], perm=[0, 2, 1])]
    constants, before = [], "bands"
    for number, layer in enumerate(layers):
        name = layer["name"]
        kernel, bias = tensors[f"{name}/kernel"][0].transpose(2, 1, 0), tensors[f"{name}/bias"]
        named = {f"{name}/kernel": kernel, f"{name}/bias": bias}
        constants += [numpy_helper.from_array(np.ascontiguousarray(array), key) for key, array in named.items()]
        dilation = int(layer["attr"]["dilations"]["list"]["i"][2])
        nodes.append(helper.make_node("Conv", [before, *named], [name], dilations=[dilation]))
        before = name
        if number < len(layers) - 1:
            before = f"{name}/relu"
            nodes.append(helper.make_node("Relu", [name], [before]))
    nodes.append(helper.make_node("Sigmoid", [before], ["speech"]))
    bands = tensors[f"{layers[0]['name']}/kernel"].shape[2]
    graph = helper.make_graph(
        nodes,
        "parley-vad",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, "rows", bands])],
        [helper.make_tensor_value_info("speech", TensorProto.FLOAT, [1, 1, "answers"])],
        constants,
    )
    written = helper.make_model(graph, producer_name="parley", opset_imports=[helper.make_opsetid("", 15)])
    written.ir_version = 8
    save(written, folder / "model.onnx")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
