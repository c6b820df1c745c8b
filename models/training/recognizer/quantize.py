"""model.int8.onnx from model.onnx: the same weights, with convolutions that multiply 8-bit integers.

Processors that have instructions for it (AVX-512 VNNI, AMX, Arm's dot products) do this about three times as fast as floats. What goes into a
convolution and what comes out of it is rounded to 256 steps of a range that is fixed here, so a batch still gives what each utterance gives
alone. The ranges are measured on training audio. The rest of the graph computes in float32 as before. Weights stay in model.onnx: the file
names their place there. Run it after export.py; it names the file in model.yaml.
"""

import argparse
import random
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import pools
from features import log_mel

CLIPS = 240
"""Clips whose values are measured: as many from each pool."""

QUANTILE = 0.9999
"""How much of a tensor's values, in nearly every clip, lies within its range; what is beyond is clipped."""

FLOAT = ("/o/Conv",)
"""What stays as it is: the scores reach from -200 to 140, and their steps would be more than a nat each."""

SMALLEST = 256
"""Tensors of fewer bytes stand in the file itself."""


def tensors_of(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}


def convolutions(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    return [node for node in model.graph.node if node.op_type == "Conv" and node.name not in FLOAT]


def result_of(model: onnx.ModelProto, convolution: onnx.NodeProto) -> str:
    """What the convolution gives: past the Relu where one follows, which rounding to a range that begins at 0 does at no cost."""
    for node in model.graph.node:
        if node.op_type == "Relu" and node.input[0] == convolution.output[0]:
            return node.output[0]
    return convolution.output[0]


def measured(model: onnx.ModelProto, names: list[str], clips: list[np.ndarray]) -> dict[str, tuple[float, float]]:
    """The range of each named tensor over clips of 16 kHz samples in [-1, 1]; that of one clip in fifty may be larger."""
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    shown.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(shown.SerializeToString(), options, providers=["CPUExecutionProvider"])
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for clip in clips:
        frames = log_mel(clip).numpy()
        values = session.run(names, {"x": frames[None], "x_lens": np.array([len(frames)])})
        for name, value in zip(names, values, strict=True):
            found[name].append(tuple(np.quantile(value, (1 - QUANTILE, QUANTILE))))
    return {name: (float(np.quantile([low for low, _ in each], 0.02)), float(np.quantile([high for _, high in each], 0.98))) for name, each in found.items()}


class Rounding:
    """Adds nodes that round a tensor to 256 steps of its range; each tensor once."""

    def __init__(self, ranges: dict[str, tuple[float, float]]) -> None:
        self.ranges, self.nodes, self.initializers, self.scales = ranges, [], [], {}

    def of(self, name: str) -> str:
        rounded = f"{name}_rounded"
        if name in self.scales:
            return rounded
        low, high = (min(0.0, self.ranges[name][0]), max(0.0, self.ranges[name][1]))
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


def quantized(model: onnx.ModelProto, ranges: dict[str, tuple[float, float]]) -> onnx.ModelProto:
    """The model with every convolution between rounded tensors, which onnxruntime joins into one that computes with integers."""
    values, rounding = tensors_of(model), Rounding(ranges)
    names, results = {node.name for node in convolutions(model)}, {result_of(model, node) for node in convolutions(model)}
    nodes, added, removed, renamed = [], [], set(), {}
    for node in model.graph.node:
        changed = onnx.NodeProto()
        changed.CopyFrom(node)
        changed.input[:] = [renamed.get(name, name) for name in node.input]
        if node.name in names:
            source, weight, bias = node.input
            codes, steps = values[f"{weight}_q"], values[f"{weight}_s"].reshape(-1)
            rounded = rounding.of(source)
            bias_steps = (steps * rounding.scales[source]).astype("f4")
            added += [
                numpy_helper.from_array(codes, f"{weight}_q"), numpy_helper.from_array(steps, f"{weight}_steps"),
                numpy_helper.from_array(np.round(values[bias] / bias_steps).astype("i4"), f"{bias}_q"), numpy_helper.from_array(bias_steps, f"{bias}_steps"),
            ]  # fmt: skip
            nodes += [
                *rounding.taken(),
                helper.make_node("DequantizeLinear", [f"{weight}_q", f"{weight}_steps"], [f"{weight}_float"], axis=0),
                helper.make_node("DequantizeLinear", [f"{bias}_q", f"{bias}_steps"], [f"{bias}_float"], axis=0),
            ]
            changed.input[:] = [rounded, f"{weight}_float", f"{bias}_float"]
            removed |= {weight, f"{weight}_f", f"{weight}_q", f"{weight}_s", bias}
        nodes.append(changed)
        given = node.output[0]
        if given in results:
            renamed[given] = rounding.of(given)
            nodes += rounding.taken()
    kept = [node for node in nodes if not set(node.output) & removed]
    initializers = [tensor for tensor in model.graph.initializer if tensor.name not in removed]
    graph = helper.make_graph(kept, model.graph.name, model.graph.input, model.graph.output, [*initializers, *added, *rounding.initializers])
    made = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    made.metadata_props.extend(model.metadata_props)
    onnx.checker.check_model(made)
    return made


def leave_weights(model: onnx.ModelProto, whole: Path) -> None:
    """Large tensors that are in the whole model's file are told by their place there."""
    content = whole.read_bytes()
    for tensor in model.graph.initializer:
        at = content.find(tensor.raw_data) if len(tensor.raw_data) >= SMALLEST else -1
        if at >= 0:
            place = {"location": whole.name, "offset": at, "length": len(tensor.raw_data)}
            tensor.ClearField("raw_data")
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in place.items():
                tensor.external_data.add(key=key, value=str(value))


def declare(folder: Path, name: str) -> None:
    """Names the file in model.yaml, after the graph."""
    path = folder / "model.yaml"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("  int8:")]
    after = next(i for i, line in enumerate(lines) if line.startswith("  graph:")) + 1
    path.write_text("\n".join([*lines[:after], f"  int8: {{ path: {name} }}", *lines[after:], ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    parser.add_argument("--pools", type=Path, required=True)
    parser.add_argument("--use", nargs="+", required=True, metavar="POOL", help="pools of training audio")
    options = parser.parse_args()
    draw, clips = random.Random(11), []
    for name in options.use:
        items = pools.read(options.pools / name)
        clips += [item.audio.astype("f4") / 32768 for item in draw.sample(items, min(len(items), CLIPS // len(options.use)))]
    model = onnx.load(str(options.model / "model.onnx"))
    names = list(dict.fromkeys(name for node in convolutions(model) for name in (node.input[0], result_of(model, node))))
    made = quantized(model, measured(model, names, clips))
    leave_weights(made, options.model / "model.onnx")
    path = options.model / "model.int8.onnx"
    path.write_bytes(made.SerializeToString())
    declare(options.model, path.name)
    print(f"{len(clips)} clips measured; {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
