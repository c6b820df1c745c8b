"""Makes an exported graph small and the same everywhere: weights as int8 with a scale per row, DFT matrices built from two small tables."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from frames import BINS, WINDOW

SMALLEST = 2048
"""Tensors of fewer values stay float32."""


def _lift_constants(graph: onnx.GraphProto) -> set[str]:
    """Turns large Constant nodes (the vocoder's tables) into initializers; gives their names, for they must stay float32."""
    lifted = set()
    for node in [node for node in graph.node if node.op_type == "Constant" and node.attribute[0].name == "value"]:
        tensor = node.attribute[0].t
        if numpy_helper.to_array(tensor).size >= SMALLEST:
            tensor.name = node.output[0]
            lifted.add(tensor.name)
            graph.initializer.append(tensor)
            graph.node.remove(node)
    return lifted


def _dft_nodes(forward: list[str], inverse: list[str]) -> tuple[list[onnx.TensorProto], list[onnx.NodeProto]]:
    """Builds both DFT matrices from one period of a cosine and of a sine."""
    window = np.hanning(WINDOW + 1)[:-1].astype("f4")
    twice = np.full((BINS, 1), 2.0, "f4")
    twice[[0, -1]] = 1
    turn = 2 * np.pi * np.arange(WINDOW) / WINDOW
    tables = {
        "dft_n": np.arange(WINDOW)[:, None], "dft_k": np.arange(BINS)[None], "dft_size": np.array(WINDOW), "dft_cos": np.cos(turn).astype("f4"),
        "dft_sin": (-np.sin(turn)).astype("f4"), "dft_window": window[:, None], "dft_back": (window / 1.5 / WINDOW)[None].astype("f4"),
        "dft_twice": twice,
    }
    node = helper.make_node
    nodes = [node("Mul", ["dft_n", "dft_k"], ["dft_nk"]), node("Mod", ["dft_nk", "dft_size"], ["dft_at"]),
             node("Gather", ["dft_cos", "dft_at"], ["dft_c"]), node("Gather", ["dft_sin", "dft_at"], ["dft_s"])]
    nodes += [node("Concat", ["dft_c", "dft_s"], ["dft_both"], axis=1), *[node("Mul", ["dft_both", "dft_window"], [name]) for name in forward]]
    nodes += [node("Transpose", ["dft_c"], ["dft_ct"], perm=[1, 0]), node("Transpose", ["dft_s"], ["dft_st"], perm=[1, 0]),
              node("Mul", ["dft_ct", "dft_twice"], ["dft_c2"]), node("Mul", ["dft_st", "dft_twice"], ["dft_s2"]),
              node("Concat", ["dft_c2", "dft_s2"], ["dft_both_t"], axis=0), *[node("Mul", ["dft_both_t", "dft_back"], [name]) for name in inverse]]
    return [numpy_helper.from_array(value, name) for name, value in tables.items()], nodes


def as_int8(tensor: onnx.TensorProto) -> tuple[list[onnx.TensorProto], list[onnx.NodeProto]]:
    """The tensor as int8 and scales, and the nodes that give it back; runtimes fold them when they load the model."""
    value = numpy_helper.to_array(tensor)
    axes = {2: (0,), 3: (1, 2)}[value.ndim]
    if "out_change" in tensor.name:
        axes = (2,)
    scale = (np.abs(value).max(axis=axes, keepdims=True) / 127 + 1e-12).astype("f4")
    stored = np.round(value / scale).astype("i1")
    parts = [numpy_helper.from_array(stored, f"{tensor.name}_int8"), numpy_helper.from_array(scale, f"{tensor.name}_scale")]
    nodes = [helper.make_node("Cast", [f"{tensor.name}_int8"], [f"{tensor.name}_float"], to=TensorProto.FLOAT),
             helper.make_node("Mul", [f"{tensor.name}_float", f"{tensor.name}_scale"], [tensor.name])]
    return parts, nodes


def pack(model: onnx.ModelProto) -> onnx.ModelProto:
    graph = model.graph
    exact = _lift_constants(graph)
    kept, nodes, forward, inverse = [], [], [], []
    for tensor in graph.initializer:
        value = numpy_helper.to_array(tensor)
        if value.dtype == np.float32 and value.shape == (WINDOW, 2 * BINS):
            forward.append(tensor.name)
        elif value.dtype == np.float32 and value.shape == (2 * BINS, WINDOW):
            inverse.append(tensor.name)
        elif value.dtype != np.float32 or value.size < SMALLEST or value.ndim not in (2, 3) or tensor.name in exact or "correction" in tensor.name:
            kept.append(tensor)
        else:
            parts, more = as_int8(tensor)
            kept += parts
            nodes += more
    tables, more = _dft_nodes(forward, inverse)
    rest = list(graph.node)
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend([*tables, *kept])
    graph.node.extend([*nodes, *more, *rest])
    onnx.checker.check_model(model)
    return model
