"""Writes the shipped graphs from a checkpoint: `export.py WORK FOLDER`."""

import sys
from pathlib import Path

import torch

import graph
import onnx_graph
from network import Detector

if __name__ == "__main__":
    detector = Detector()
    detector.load_state_dict(torch.load(Path(sys.argv[1]) / "detector.pt"))
    graph.write(detector.eval(), Path(sys.argv[2]))
    onnx_graph.write(Path(sys.argv[2]))
    print(sum(path.stat().st_size for path in Path(sys.argv[2]).iterdir()), "bytes")
