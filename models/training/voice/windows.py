"""Cuts model.onnx in two, so that the first tenth of a second of a text can be heard before the rest is computed.

encoder.onnx reads the symbols and says how long each lasts; decoder.onnx turns a window of frames into samples, with convolutions of 8-bit
integers (`../integers.py`) and a vocoder of fewer products (`vocoder_graph.py`). Their large tensors stay in model.onnx:
both name their place there. Run it after export.py; it writes the two files and names them in model.yaml.
"""

import argparse
import hashlib
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import integers
import vocoder_graph
from borrowed_weights import borrow_weights
from frames import NEUTRAL
from symbols import ids_of

BEFORE, AFTER = 3, 4
"""Frames of parameters that samples need: two to be analysed and one to be overlapped before, the same and the glide of the pulses after."""
SENTENCES = Path(__file__).with_name("sentences-in-symbols.txt")
"""Lines of LJSpeech's text as Parley pronounces them, on which the ranges of the integers are measured."""

CUT = {
    "encoded": ("/Transpose_1_output_0", TensorProto.FLOAT, ["batch", "tokens", "channels"]),
    "frames": ("/Mul_21_output_0", TensorProto.FLOAT, ["batch", "tokens"]),
    "offsets": ("/GatherElements_3_output_0", TensorProto.FLOAT, ["batch", "tokens"]),
    "rise_region": ("/Mul_38_output_0", TensorProto.FLOAT, ["batch", "tokens", 1]),
    "rise_begun": ("/MatMul_8_output_0", TensorProto.FLOAT, ["batch", "tokens", 1]),
    "rise_length": ("/MatMul_9_output_0", TensorProto.FLOAT, ["batch", "tokens", 1]),
    "rise_voiced": ("/Mul_40_output_0", TensorProto.FLOAT, ["batch", "tokens", 1]),
    "controls": ("/Slice_1_output_0", TensorProto.FLOAT, [4]),
    "speaker": ("/Clip_output_0", TensorProto.INT64, ["batch"]),
}
"""What the encoder hands to the decoder: `graph.Graph.forward`'s variables, and the names that the exporter gave them."""

COUNT, FRAME_NUMBERS, INSIDE, LAST_STEP = "/Clip_8_output_0", "/Range_2", "/ReduceSum_3_output_0", "/Clip_13_output_0"
PARAMETERS_OF_FRAMES, NOISE, NOISE_OF_ROWS = "/Concat_10_output_0", "/Mul_50_output_0", "/Expand_1_output_0"
NUMBERED = ("/Unsqueeze_40", "/Mod", "/Mod_1")
"""Nodes of the vocoder that take frame numbers: which frame is the last, and the two tables of noise."""
MASKED = ("/vocoder/Mul_9", "/vocoder/Mul_10", "/vocoder/Mul_12", "/Mul_52")
"""Nodes of the vocoder that silence what lies beyond a row's end."""


def renamed(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy whose tensors of the cut have the cut's names."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    names = {exported: name for name, (exported, _, _) in CUT.items()}
    for node in copy.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    return copy


def cut_values() -> list[onnx.ValueInfoProto]:
    return [helper.make_tensor_value_info(name, kind, shape) for name, (_, kind, shape) in CUT.items()]


def part_of(model: onnx.ModelProto, name: str, inputs: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]) -> onnx.ModelProto:
    """The part of a graph between inputs and outputs, its nodes in an order in which they can run."""
    maker = {output: node for node in model.graph.node for output in node.output}
    made, nodes = {value.name for value in inputs}, []
    made.update(tensor.name for tensor in model.graph.initializer)

    def visit(wanted: str) -> None:
        if wanted in made or wanted == "":
            return
        node = maker[wanted]
        for needed in node.input:
            visit(needed)
        nodes.append(node)
        made.update(node.output)

    for output in outputs:
        visit(output.name)
    used = {needed for node in nodes for needed in node.input}
    tensors = [tensor for tensor in model.graph.initializer if tensor.name in used]
    graph = helper.make_graph(nodes, name, inputs, outputs, tensors)
    part = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    onnx.checker.check_model(part)
    return part


def encoder(model: onnx.ModelProto) -> onnx.ModelProto:
    """Piper's inputs to `durations` and what the decoder needs."""
    durations = [value for value in model.graph.output if value.name == "durations"]
    return part_of(renamed(model), "encoder", list(model.graph.input), [*durations, *cut_values()])


def with_integers(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy in which the convolutions of the decoder's blocks multiply integers; what becomes parameters stays as it is."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    convolutions = [node for node in copy.graph.node if node.op_type == "Conv" and node.name.startswith("/decoder.")]
    speakers = {tensor.name: tensor for tensor in model.graph.initializer}["voice.speaker.weight"].dims[0]
    examples = []
    for i, sentence in enumerate(SENTENCES.read_text(encoding="utf-8").splitlines()):
        ids = ids_of(sentence)
        examples.append({"input": np.array([ids]), "input_lengths": np.array([len(ids)]), "scales": np.array(NEUTRAL[:3], np.float32),
                         "sid": np.array([i % speakers])})
    names = list(dict.fromkeys(name for node in convolutions for name in (node.input[0], integers.result_of(copy, node))))
    ranges = integers.measured(copy, names, examples)
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in copy.graph.initializer}
    for node in convolutions:
        if "/wide/" in node.name:
            # What stays below zero when the speaker's shift is added is cut off by the Relu that follows.
            shift = values[node.input[1].replace("wide.weight", "shift.weight")]
            ranges[node.output[0]] = (-float(shift.max()), ranges[node.output[0]][1])
    integers.with_integers(copy, convolutions, ranges, integers.Stored("_int8", "_scale"))
    return copy


def decoder(model: onnx.ModelProto) -> onnx.ModelProto:
    """What the encoder found, `window` (first frame, number of frames) and `turns` (whole and part turns of the pulses up to the window's
    margin, 0 at the start) to the window's `output` and the `next_turns` for the window that follows it. Frames beyond the end are left out."""
    whole = renamed(model)
    graph = whole.graph
    by_name = {node.name: node for node in graph.node}

    def constant(value: int | list[int]) -> str:
        name = f"window_{value}".replace("[", "list_").replace("]", "").replace(", ", "_")
        if all(tensor.name != name for tensor in graph.initializer):
            graph.initializer.append(numpy_helper.from_array(np.array(value, np.int64), name))
        return name

    def node(operator: str, *inputs: str, output: str | None = None, **attributes: int) -> str:
        output = output or f"window_{operator}_{len(graph.node)}"
        graph.node.append(helper.make_node(operator, list(inputs), [output], output, **attributes))
        return output

    # What the convolutions see on each side; the glide of pitch offsets sees less.
    sizes = [{one.name: list(one.ints) for one in each.attribute} for name, each in by_name.items() if name.startswith("/decoder.") and each.op_type == "Conv"]
    margin = sum(size["dilations"][0] * (size["kernel_shape"][0] // 2) for size in sizes)

    vector = lambda scalar: node("Unsqueeze", scalar, constant([0]))
    minus = lambda a, b: node("Sub", a, b)
    first, count = (node("Gather", "window", constant(i), axis=0) for i in (0, 1))
    end = node("Add", first, count)
    from_zero = lambda frame, frames: node("Max", minus(frame, constant(frames)), constant(0))
    to_end = lambda frame, frames: node("Min", node("Add", frame, constant(frames)), COUNT)
    heard_from, heard_to = from_zero(first, BEFORE), to_end(end, AFTER)
    seen_from, seen_to = from_zero(heard_from, margin), to_end(heard_to, margin)
    by_name[FRAME_NUMBERS].input[:2] = [seen_from, seen_to]

    # The decoder's margin ends here: the vocoder takes its own frames out of what was decoded.
    cut = lambda tensor, begin, finish, output: node("Slice", tensor, vector(begin), vector(finish), constant([1]), output=output)
    heard = (minus(heard_from, seen_from), minus(heard_to, seen_from))
    parameters, inside = cut(PARAMETERS_OF_FRAMES, *heard, "heard_parameters"), cut(INSIDE, *heard, "heard_inside")
    numbers = node("Range", heard_from, heard_to, constant(1))
    swap = lambda names, old, new: [replace_input(by_name[name], old, new) for name in names]
    swap(NUMBERED, f"{FRAME_NUMBERS}_output_0", numbers)
    swap(MASKED, INSIDE, inside)
    swap([name for name in by_name if name.startswith("/correction/")], PARAMETERS_OF_FRAMES, parameters)
    swap(list(by_name), NOISE_OF_ROWS, NOISE)

    # The running sum of turns goes on from the window before, in the same order of additions as in one call.
    running = by_name["/vocoder/CumSum"]
    running.input[0] = node("Concat", "turns", running.input[0], axis=1)
    sums, running.output[0] = running.output[0], "running_turns"
    node("Slice", "running_turns", constant([1]), constant([2**31]), constant([1]), output=sums)
    following = node("Min", from_zero(end, BEFORE), heard_to)
    node("Gather", "running_turns", vector(minus(following, heard_from)), output="next_turns", axis=1)

    samples = cut(LAST_STEP, minus(first, heard_from), minus(end, heard_from), "window_samples")
    by_name["/Reshape_4"].input[:] = [samples, constant([0, 1, -1])]
    inputs = [*cut_values(), helper.make_tensor_value_info("window", TensorProto.INT64, [2]),
              helper.make_tensor_value_info("turns", TensorProto.FLOAT, ["batch", 1])]
    outputs = [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["batch", 1, "samples"]),
               helper.make_tensor_value_info("next_turns", TensorProto.FLOAT, ["batch", 1])]
    vocoder_graph.rewrite(graph)
    return part_of(whole, "decoder", inputs, outputs)


def replace_input(node: onnx.NodeProto, old: str, new: str) -> None:
    node.input[:] = [new if name == old else name for name in node.input]


def shorten_names(part: onnx.ModelProto) -> None:
    """Numbers instead of the exporter's names, which would be a third of the file."""
    kept = {value.name for value in [*part.graph.input, *part.graph.output]} | {""}
    short: dict[str, str] = {}
    name_of = lambda name: name if name in kept else short.setdefault(name, str(len(short)))
    for node in part.graph.node:
        node.ClearField("name")
        node.input[:] = [name_of(name) for name in node.input]
        node.output[:] = [name_of(name) for name in node.output]
    for tensor in part.graph.initializer:
        tensor.name = name_of(tensor.name)
    del part.graph.value_info[:]


def declare(folder: Path, names: list[str]) -> None:
    """Names the files in model.yaml, after the graph that they belong to."""
    path = folder / "model.yaml"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.split(":")[0].strip() not in names]
    after = next(i for i, line in enumerate(lines) if line.startswith("  graph:")) + 1
    digest = lambda name: hashlib.sha256((folder / f"{name}.onnx").read_bytes()).hexdigest()
    lines[after:after] = [f"  {name}: {{ path: {name}.onnx, sha256: {digest(name)} }}" for name in names]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the model folder")
    options = parser.parse_args()
    path = options.model / "model.onnx"
    model = onnx.load(str(path))
    parts = {"encoder": encoder(model), "decoder": decoder(with_integers(model))}
    for name, part in parts.items():
        borrow_weights(part, path)
        shorten_names(part)
        (options.model / f"{name}.onnx").write_bytes(part.SerializeToString())
        print(name, "bytes:", (options.model / f"{name}.onnx").stat().st_size, "operators:", len(part.graph.node))
    declare(options.model, list(parts))


if __name__ == "__main__":
    main()
