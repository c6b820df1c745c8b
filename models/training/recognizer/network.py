"""The acoustic network: samples to phone probabilities every 24 ms, batched exactly as alone.

Three strided convolutions, then layers of self-attention with rotary positions. The form is that of the first six of the eight layers of the
encoder of Moonshine base (Jeffries et al. 2024, https://arxiv.org/abs/2410.15608), whose weights training begins with (`moonshine.py`), but each large matrix is a product of two thin ones.
Means run over an utterance's own frames and nothing attends to the padding, so what stands beside an utterance cannot change its result.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from phones import SYMBOLS

WIDTH, INNER, LAYERS = 416, 1664, 6
HEADS, HEAD, TURNED = 8, 52, 32
"""Of the `HEAD` channels of a head the first `TURNED` are turned by position."""

KERNELS, STRIDES = (127, 7, 3), (64, 3, 2)
FRAME_SAMPLES = 384
"""Samples between two frames: the product of the strides, 24 ms."""

RANKS = {"conv2": 256, "conv3": 96, "qkv": 128, "o": 96, "f1": 144, "f2": 208}
"""How thin the matrices are. On speech a product of this rank keeps 96 % or more of what its matrix gave in Moonshine (`moonshine.py` prints it)."""

LEVEL = 0.06
"""Every utterance is brought to this root mean square, so loudness does not matter."""

PADDED = -1e4


def frame_counts(samples: Tensor) -> tuple[Tensor, Tensor]:
    """Frames after the first convolution, and after the last."""
    first = (samples - KERNELS[0]) // STRIDES[0] + 1
    second = (first - KERNELS[1]) // STRIDES[1] + 1
    return first, (second - KERNELS[2]) // STRIDES[2] + 1


def mask(frames: int, lengths: Tensor) -> Tensor:
    """[N, frames]: 1 inside the utterance, 0 in the padding."""
    return (torch.arange(frames)[None] < lengths[:, None]).float()


def taps(x: Tensor, size: int, stride: int) -> Tensor:
    """[N, T, C] to the windows of a convolution side by side, [N, T', size * C]."""
    count = (x.shape[1] - size) // stride + 1
    return torch.cat([x[:, i : i + stride * (count - 1) + 1 : stride] for i in range(size)], -1)


class Thin(nn.Module):
    """A linear map by way of a few channels."""

    def __init__(self, given: int, made: int, rank: int, bias: bool = True):
        super().__init__()
        self.narrow, self.wide = nn.Linear(given, rank, bias=False), nn.Linear(rank, made, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        return self.wide(self.narrow(x))


class Layer(nn.Module):
    """Self-attention and two linear maps, each added to what came in.

    The channels of queries and keys stand in the order of `channel_order`, so that turning them is a product of whole blocks.
    """

    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.o = Thin(WIDTH, 3 * WIDTH, RANKS["qkv"], bias=False), Thin(WIDTH, WIDTH, RANKS["o"], bias=False)
        self.f1, self.f2 = Thin(WIDTH, INNER, RANKS["f1"]), Thin(INNER, WIDTH, RANKS["f2"])

    def forward(self, x: Tensor, turn: tuple[Tensor, Tensor], outside: Tensor) -> Tensor:
        count = x.shape[0]
        query, key, value = self.qkv(self.n1(x)).split(WIDTH, -1)
        query, key = (by_head(part, turn, count) for part in (query, key))
        # In bfloat16 training attention stays in bfloat16: autocast would compute the softmax in float32, at twice the time.
        with torch.autocast("cpu", enabled=False):
            scores = (query * HEAD**-0.5).transpose(1, 2) @ key.permute(0, 2, 3, 1) + outside.to(query.dtype)
            seen = torch.softmax(scores, -1) @ value.reshape(count, -1, HEADS, HEAD).transpose(1, 2)
        x = x + self.o(seen.transpose(1, 2).reshape(count, -1, WIDTH))
        return x + self.f2(F.gelu(self.f1(self.n2(x))))


def by_head(x: Tensor, turn: tuple[Tensor, Tensor], count: int) -> Tensor:
    """Channels in the order of `channel_order`, turned by position (Su et al. 2021, https://arxiv.org/abs/2104.09864), as [N, T, HEADS, HEAD]."""
    half, (cosine, sine) = HEADS * TURNED // 2, turn
    a, b, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    parts = (a * cosine - b * sine, b * cosine + a * sine, rest)
    return torch.cat([part.reshape(count, -1, HEADS, part.shape[-1] // HEADS) for part in parts], -1)


def channel_order() -> Tensor:
    """Where the channels of queries and keys stand, of those of head after head whose pairs are turned: the first of all pairs, the second of all, the rest."""
    heads = torch.arange(WIDTH).view(HEADS, HEAD)
    return torch.cat([heads[:, 0:TURNED:2].reshape(-1), heads[:, 1:TURNED:2].reshape(-1), heads[:, TURNED:].reshape(-1)])


class Network(nn.Module):
    """forward(audio [N, S] samples in [-1, 1], audio_lens [N]) -> (log probabilities [N, T, 41], lengths [N])."""

    def __init__(self, layers: int = LAYERS):
        super().__init__()
        self.conv1 = nn.Conv1d(1, WIDTH, KERNELS[0], stride=STRIDES[0], bias=False)
        self.scale, self.shift = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.zeros(WIDTH))
        self.conv2 = Thin(KERNELS[1] * WIDTH, 2 * WIDTH, RANKS["conv2"])
        self.conv3 = Thin(KERNELS[2] * 2 * WIDTH, WIDTH, RANKS["conv3"])
        self.layers = nn.ModuleList([Layer() for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(SYMBOLS))

    def waves(self, audio: Tensor, lengths: Tensor, first: Tensor) -> Tensor:
        """The first convolution, its values brought to mean 0 and deviation 1 over the whole utterance."""
        audio = audio * mask(audio.shape[1], lengths).to(audio.dtype)
        audio = audio * (LEVEL / torch.sqrt((audio * audio).sum(1, keepdim=True) / lengths[:, None].float() + 1e-8))
        h = torch.tanh(self.conv1(audio[:, None])).transpose(1, 2)
        inside, values = mask(h.shape[1], first), first.float()[:, None] * WIDTH
        wide = h.float()
        mean = (wide.sum(2) * inside).sum(1, keepdim=True) / values
        variance = ((wide * wide).sum(2) * inside).sum(1, keepdim=True) / values - mean * mean
        scale = torch.rsqrt(variance + 1e-5)[:, :, None] * self.scale
        return (wide * scale + (self.shift - mean[:, :, None] * scale)).to(h.dtype)

    def body(self, audio: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Samples to (scores [N, T, 41], lengths). The first convolution learns nothing: what it hears is not particular to phones."""
        first, frames = frame_counts(lengths)
        with torch.no_grad():
            h = self.waves(audio, lengths, first)
        h = F.gelu(self.conv2(taps(h, KERNELS[1], STRIDES[1])))
        h = F.gelu(self.conv3(taps(h, KERNELS[2], STRIDES[2])))
        outside = (PADDED * (1 - mask(h.shape[1], frames)))[:, None, None]
        angle = torch.arange(h.shape[1]).float()[:, None] * (10_000.0 ** (-torch.arange(0, TURNED, 2).float() / TURNED)).repeat(HEADS)
        turn = (angle.cos().to(h.dtype), angle.sin().to(h.dtype))
        for layer in self.layers:
            h = layer(h, turn, outside)
        return self.head(self.norm(h)), frames

    def forward(self, audio: Tensor, audio_lens: Tensor) -> tuple[Tensor, Tensor]:
        scores, frames = self.body(audio, audio_lens)
        return F.log_softmax(scores, -1), frames


def greedy(log_probs: Tensor) -> list[int]:
    """Symbol ids of the best path, repeats and blanks removed."""
    best = log_probs.argmax(-1).tolist()
    return [symbol for symbol, before in zip(best, [0, *best], strict=False) if symbol not in (0, before)]
