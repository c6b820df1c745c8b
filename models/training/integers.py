"""Convolutions and linear maps that multiply 8-bit integers, in a graph that computes in float32 otherwise.

What goes into such a convolution and what comes out of it is rounded to 256 steps of a fixed range, so what one row gives does not depend on the
rows beside it. What goes into a linear map is rounded to 256 steps of the range that it has in the call. Weights must be stored as 8-bit codes with a
scale for each output channel, from which the graph restores them; the codes are used as they are. onnxruntime joins each convolution and each
linear map with the nodes that are put around it, and runs it with integers.
"""

from dataclasses import dataclass

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

QUANTILE = 0.9999
"""How much of a tensor's values, in nearly every example, lies within its range; what is beyond is clipped."""

Range = tuple[float, float]


@dataclass(frozen=True)
class Stored:
    """How the names of codes and scales end, beyond the name of the weights that they make."""

    codes: str
    scales: str


def result_of(model: onnx.ModelProto, convolution: onnx.NodeProto) -> str:
    """What the convolution gives: past the Relu where one follows, which rounding to a range that begins at 0 does at no cost."""
    for node in model.graph.node:
        if node.op_type == "Relu" and node.input[0] == convolution.output[0]:
            return node.output[0]
    return convolution.output[0]


def measured(model: onnx.ModelProto, names: list[str], examples: list[dict[str, np.ndarray]]) -> dict[str, Range]:
    """The range of each named tensor over examples of what the graph is fed; that of one example in fifty may be larger."""
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    shown.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(shown.SerializeToString(), options, providers=["CPUExecutionProvider"])
    found: dict[str, list[Range]] = {name: [] for name in names}
    for feeds in examples:
        for name, value in zip(names, session.run(names, feeds), strict=True):
            found[name].append(tuple(np.quantile(value, (1 - QUANTILE, QUANTILE))))
    return {name: (float(np.quantile([low for low, _ in each], 0.02)), float(np.quantile([high for _, high in each], 0.98))) for name, each in found.items()}


class _Rounding:
    """Nodes that round a tensor to 256 steps of its range, each tensor once."""

    def __init__(self, ranges: dict[str, Range]) -> None:
        self.ranges, self.nodes, self.initializers, self.scales = ranges, [], [], {}

    def of(self, name: str) -> str:
        rounded = f"{name}_rounded"
        if name in self.scales:
            return rounded
        low, high = min(0.0, self.ranges[name][0]), max(0.0, self.ranges[name][1])
        scale = np.array((high - low) / 255, "f4")
        zero = np.array(np.clip(np.round(-low / scale), 0, 255), "u1")
        self.scales[name] = float(scale)
        self.initializers += [numpy_helper.from_array(scale, f"{name}_step"), numpy_helper.from_array(zero, f"{name}_zero")]
        self.nodes += [
            helper.make_node("QuantizeLinear", [name, f"{name}_step", f"{name}_zero"], [f"{name}_steps"]),
            helper.make_node("DequantizeLinear", [f"{name}_steps", f"{name}_step", f"{name}_zero"], [rounded]),
        ]
        return rounded

    def taken(self) -> list[onnx.NodeProto]:
        """The nodes that were added since the last call."""
        nodes, self.nodes = self.nodes, []
        return nodes


def with_integers(model: onnx.ModelProto, convolutions: list[onnx.NodeProto], ranges: dict[str, Range], stored: Stored) -> None:
    """Changes the model in place; `ranges` has one for every convolution's input and result."""
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    names, results = {node.name for node in convolutions}, {result_of(model, node) for node in convolutions}
    rounding, nodes, added, removed, renamed = _Rounding(ranges), [], [], set(), {}
    for node in model.graph.node:
        source, given = node.input[0] if node.input else "", node.output[0]
        node.input[:] = [renamed.get(name, name) for name in node.input]
        if node.name in names:
            _, weight, bias = node.input
            steps = values[weight + stored.scales].reshape(-1)
            rounded = rounding.of(source)
            bias_steps = (steps * rounding.scales[source]).astype("f4")
            added += [
                numpy_helper.from_array(values[weight + stored.codes], f"{weight}_codes"), numpy_helper.from_array(steps, f"{weight}_steps"),
                numpy_helper.from_array(np.round(values[bias] / bias_steps).astype("i4"), f"{bias}_codes"), numpy_helper.from_array(bias_steps, f"{bias}_steps"),
            ]  # fmt: skip
            nodes += [
                *rounding.taken(),
                helper.make_node("DequantizeLinear", [f"{weight}_codes", f"{weight}_steps"], [f"{weight}_restored"], axis=0),
                helper.make_node("DequantizeLinear", [f"{bias}_codes", f"{bias}_steps"], [f"{bias}_restored"], axis=0),
            ]
            node.input[:] = [rounded, f"{weight}_restored", f"{bias}_restored"]
            removed |= {weight, bias, weight + stored.codes, weight + stored.scales}
        nodes.append(node)
        if given in results:
            renamed[given] = rounding.of(given)
            nodes += rounding.taken()
    used = {name for node in nodes if not set(node.output) & removed for name in node.input}
    kept = [node for node in nodes if not set(node.output) & removed and (set(node.output) & used or any(o.name in node.output for o in model.graph.output))]
    tensors = [tensor for tensor in model.graph.initializer if tensor.name in used]
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(kept)
    model.graph.initializer.extend([*tensors, *added, *rounding.initializers])
    onnx.checker.check_model(model)


def with_integer_products(model: onnx.ModelProto, maps: list[onnx.NodeProto], stored: Stored) -> None:
    """Changes the model in place: each of the `MatMul` nodes multiplies codes."""
    names, removed, nodes, rounded = {node.name for node in maps}, set(), [], set()
    for node in model.graph.node:
        if node.name not in names:
            nodes.append(node)
            continue
        source, weight = node.input
        if source not in rounded:
            rounded.add(source)
            nodes.append(helper.make_node("DynamicQuantizeLinear", [source], [f"{source}_steps", f"{source}_step", f"{source}_zero"]))
        made = node.output[0]
        nodes += [
            helper.make_node("MatMulInteger", [f"{source}_steps", weight + stored.codes, f"{source}_zero"], [f"{made}_sums"]),
            helper.make_node("Cast", [f"{made}_sums"], [f"{made}_counted"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{source}_step", weight + stored.scales], [f"{made}_scale"]),
            helper.make_node("Mul", [f"{made}_counted", f"{made}_scale"], [made]),
        ]
        removed |= {weight}
    used = {name for node in nodes if not set(node.output) & removed for name in node.input}
    restoring = {node.output[0] for node in nodes if set(node.output) & removed}
    kept = [node for node in nodes if not set(node.output) & restoring and (set(node.output) & used or any(o.name in node.output for o in model.graph.output))]
    tensors = [tensor for tensor in model.graph.initializer if tensor.name in used]
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(kept)
    model.graph.initializer.extend(tensors)
    onnx.checker.check_model(model)
