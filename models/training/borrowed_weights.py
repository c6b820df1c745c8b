"""Large tensors of a graph that another file of its folder has, told by their place in it, so that no weight is stored twice."""

from pathlib import Path

import onnx
from onnx import TensorProto

SMALLEST = 256
"""Tensors of fewer bytes stand in the file itself."""


def borrow_weights(model: onnx.ModelProto, whole: Path) -> None:
    """Replaces the large tensors that the whole model's file has by their place in it; others stay."""
    content = whole.read_bytes()
    for tensor in model.graph.initializer:
        at = content.find(tensor.raw_data) if len(tensor.raw_data) >= SMALLEST else -1
        if at < 0:
            continue
        place = {"location": whole.name, "offset": at, "length": len(tensor.raw_data)}
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
