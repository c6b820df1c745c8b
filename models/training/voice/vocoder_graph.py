"""Rewrites the vocoder of an exported graph so that it gives the same samples with a sixth of the products.

- The discrete Fourier transforms use what cosines and sines have in common: a frame is folded at its middle, then each half at its own, so
  four products with 177 by 177 numbers take the place of one with 704 by 706. Even bins come first then, odd ones behind.
- The spectrum of the noise is looked up: its two tables repeat, so theirs do, and they are computed when the file is opened. At a row's ends
  the noise is a little different, in silence: model.onnx has none before the first frame and behind the last, so frames there have a part of
  it; here the first QUIET frames have none, which gives listeners the first sound sooner, and the others have all of it.
"""

import numpy as np
import onnx
from onnx import helper, numpy_helper

from frames import BINS, HOP, NOISE_PERIODS, WINDOW

QUARTER = WINDOW // 4
QUIET = 3
"""Frames at a row's beginning without noise."""
EVEN, ODD = np.arange(0, BINS, 2), np.arange(1, BINS, 2)
ORDER = np.concatenate([EVEN, ODD])

PULSES, GAIN_OF_TONE, GAIN_OF_BREATH = "/vocoder/Mul_9_output_0", "/vocoder/Mul_14_output_0", "/vocoder/Mul_15_output_0"
NOISE_TABLES = (("/Constant_141_output_0", "/Mod_output_0"), ("/Constant_143_output_0", "/Mod_1_output_0"))
NOISE_GAIN = "/Div_8_output_0"
REAL, IMAGINARY = "/vocoder/Add_7_output_0", "/vocoder/Add_8_output_0"
TURNED_REAL, TURNED_IMAGINARY = "/vocoder/Sub_6_output_0", "/vocoder/Add_9_output_0"
BLOCKS = tuple(f"/vocoder/Split_output_{i}" for i in range(4))
OF_BINS = ("/vocoder/MatMul_2", "/vocoder/MatMul_3", "/vocoder/MatMul_4")
"""Products whose right side has a column for each bin."""


class Rewriting:
    """Adds nodes to a graph."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        self.graph, self.constants = graph, {}

    def constant(self, value: np.ndarray) -> str:
        key = (value.dtype.str, value.shape, value.tobytes())
        if key not in self.constants:
            self.constants[key] = f"rewritten_constant_{len(self.constants)}"
            self.graph.initializer.append(numpy_helper.from_array(value, self.constants[key]))
        return self.constants[key]

    def indices(self, *values: int) -> str:
        return self.constant(np.array(values, np.int64))

    def node(self, operator: str, *inputs: str, output: str | None = None, **attributes: int) -> str:
        output = output or f"rewritten_{operator}_{len(self.graph.node)}"
        self.graph.node.append(helper.make_node(operator, list(inputs), [output], f"rewritten/{output}", **attributes))
        return output

    def part(self, tensor: str, begin: int, end: int, axis: int = -1) -> str:
        return self.node("Slice", tensor, self.indices(begin), self.indices(end), self.indices(axis))

    def backwards(self, tensor: str) -> str:
        return self.node("Slice", tensor, self.indices(-1), self.indices(-(2**31)), self.indices(-1), self.indices(-1))

    def join(self, *tensors: str) -> str:
        return self.node("Concat", *tensors, axis=-1)

    def waves(self, operator: str, bins: np.ndarray, scale: np.ndarray, inverse: bool) -> str:
        """Cosines or sines [0 .. QUARTER, bins], each row times its `scale`; with the bins in rows and the scale of a bin for the inverse.

        They are computed when the file is opened: the file would be a megabyte larger. The angle is reduced in whole numbers, before it is rounded.
        """
        samples = self.constant(np.arange(QUARTER + 1, dtype=np.int64)[None, :] if inverse else np.arange(QUARTER + 1, dtype=np.int64)[:, None])
        numbers = self.constant(bins.astype(np.int64)[:, None] if inverse else bins.astype(np.int64)[None, :])
        turns = self.node("Mod", self.node("Mul", samples, numbers), self.indices(WINDOW))
        angle = self.node("Mul", self.node("Cast", turns, to=onnx.TensorProto.FLOAT), self.constant(np.array(2 * np.pi / WINDOW, np.float32)))
        return self.node("Mul", self.node(operator, angle), self.constant(scale.astype(np.float32)[:, None]))

    def forward(self, blocks: str) -> tuple[str, str]:
        """Real and imaginary parts [.., T, BINS] of the windowed frames of `blocks` [.., T + 3, HOP], in the order of ORDER."""
        hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW // 2 + 1) / WINDOW)
        low, high = hann[: QUARTER + 1], hann[: QUARTER - 1 : -1].copy()
        # Sample 352 is its own mirror, so it would count twice.
        high[0] /= 2
        back = self.backwards(blocks)
        a, b, c, d = (self.part(blocks, i, i - 3 if i < 3 else 2**31, axis=-2) for i in range(4))
        second, fourth = self.part(back, 1, -2, axis=-2), self.part(back, 3, 2**31, axis=-2)
        edge = lambda block: self.part(block, 0, 1)
        first_quarter, second_back = self.join(a, edge(b)), self.join(edge(c), second)
        third_quarter, fourth_back = self.join(c, edge(d)), self.join(edge(d), fourth)
        windowed = lambda operator, one, other, window: self.node("Mul", self.node(operator, one, other), self.constant(window.astype(np.float32)))
        same_low, same_high = windowed("Add", first_quarter, fourth_back, low), windowed("Add", second_back, third_quarter, high)
        odd_low, odd_high = windowed("Sub", first_quarter, fourth_back, low), windowed("Sub", second_back, third_quarter, high)
        once = np.ones(QUARTER + 1)
        # So would sample 176.
        once[-1] = 0.5
        product = lambda operator, one, other, wave, bins, sign: self.node(
            "MatMul", self.node(operator, one, other), self.waves(wave, bins, sign * once, inverse=False))
        real = self.join(product("Add", same_low, same_high, "Cos", EVEN, 1), product("Sub", same_low, same_high, "Cos", ODD, 1))
        imaginary = self.join(product("Sub", odd_low, odd_high, "Sin", EVEN, -1), product("Add", odd_low, odd_high, "Sin", ODD, -1))
        return real, imaginary

    def inverse(self, real: str, imaginary: str) -> None:
        """BLOCKS: the four quarters of every frame's windowed samples, from parts in the order of ORDER."""
        twice = np.full(BINS, 2.0)
        twice[[0, -1]] = 1
        window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)) / 1.5 / WINDOW
        even, odd = (0, len(EVEN)), (len(EVEN), BINS)
        product = lambda spectrum, wave, bins, place: self.node("MatMul", self.part(spectrum, *place), self.waves(wave, bins, twice[bins], inverse=True))
        cosines = product(real, "Cos", EVEN, even), product(real, "Cos", ODD, odd)
        sines = product(imaginary, "Sin", EVEN, even), product(imaginary, "Sin", ODD, odd)
        near, far = (self.node(operator, *cosines) for operator in ("Add", "Sub"))
        near_odd, far_odd = (self.node(operator, *sines) for operator in ("Add", "Sub"))
        quarter = lambda sum_of, begin: self.part(sum_of, begin, begin + HOP)
        samples = (
            quarter(self.node("Sub", near, near_odd), 0), self.backwards(quarter(self.node("Add", far, far_odd), 1)),
            quarter(self.node("Sub", far, far_odd), 0), self.backwards(quarter(self.node("Add", near, near_odd), 1)),
        )  # fmt: skip
        for i, (block, output) in enumerate(zip(samples, BLOCKS, strict=True)):
            self.node("Mul", block, self.constant(window[i * HOP : (i + 1) * HOP].astype(np.float32)), output=output)


def numbers_of(graph: onnx.GraphProto) -> str:
    """The numbers of the frames that are decoded, which the tables of noise are looked up by."""
    return next(node.input[0] for node in graph.node if node.output[0] == NOISE_TABLES[0][1])


def rewrite(graph: onnx.GraphProto) -> None:
    """Changes the graph in place; what it does not need any more is left for the caller to drop."""
    by_output = {output: node for node in graph.node for output in node.output}
    rewriting = Rewriting(graph)
    detach = lambda name: by_output[name].output.__setitem__(list(by_output[name].output).index(name), f"{name}_before")
    for name in (REAL, IMAGINARY, *BLOCKS):
        detach(name)
    for node in graph.node:
        if node.name in OF_BINS:
            node.input[1] = rewriting.node("Gather", node.input[1], rewriting.constant(ORDER), axis=1)

    # Two frames of nothing before the first and one behind the last, as model.onnx pads them.
    padded = rewriting.node("Pad", PULSES, rewriting.indices(0, 2, 0, 0, 1, 0))
    tone = rewriting.forward(padded)
    found = []
    for (table, numbers), period in zip(NOISE_TABLES, NOISE_PERIODS, strict=True):
        around = rewriting.constant(np.arange(-2, period + 1) % period)
        spectra = rewriting.forward(rewriting.node("Gather", table, around, axis=0))
        found.append([rewriting.node("Gather", spectrum, numbers, axis=0) for spectrum in spectra])
    loudness = rewriting.node("Mul", NOISE_GAIN, rewriting.constant(np.array(np.sqrt(0.5), np.float32)))
    begun = rewriting.node("Cast", rewriting.node("Greater", numbers_of(graph), rewriting.indices(QUIET - 1)), to=onnx.TensorProto.FLOAT)
    gain = rewriting.node("Mul", GAIN_OF_BREATH, rewriting.node("Mul", rewriting.node("Unsqueeze", begun, rewriting.indices(1)), loudness))
    for part, one, other, output in zip(tone, *found, (REAL, IMAGINARY), strict=True):
        breath = rewriting.node("Mul", rewriting.node("Add", one, other), gain)
        rewriting.node("Add", rewriting.node("Mul", part, GAIN_OF_TONE), breath, output=output)
    rewriting.inverse(TURNED_REAL, TURNED_IMAGINARY)
