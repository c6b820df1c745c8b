"""The whole voice as one graph: Piper's inputs in, samples and durations out. This module is what export.py turns into ONNX."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from frames import HOP, NEUTRAL
from model import Voice
from symbols import BOS, CONSONANTS, EOS, PAUSES, PRIMARY, SYMBOLS, TOKEN_ID, TOKENS, VOWELS, WORD

LOG_F0_LIMITS = (math.log(50.0), math.log(600.0))
LONGEST_FRAMES = 250.0
SMOOTH_FRAMES = 9
QUESTION_SEMITONES = 7.0
"""How far a question's pitch is raised at its end, above the fall that the readers' statements have."""
SONORANTS = {"l", "m", "n", "ng", "r", "w", "y"}
"""Consonants that are voiced throughout, as vowels are: where a question rises they have a pitch, though a statement may end in a creak there."""
SHORTEST_FRAMES = {"pau": 6, "pau,": 14, "pau;": 24, "pau.": 36, "pau!": 36, "pau?": 36}
"""Shortest pauses inside a text, 8 ms each."""
EDGE_FRAMES = (5, 15)
"""Shortest silence before the first and after the last sound."""


def _tables() -> dict[str, torch.Tensor]:
    """Lookup tables by symbol id (`token_of`) and by token."""
    token_of = torch.zeros(len(SYMBOLS), dtype=torch.long)
    names = {**PAUSES, **CONSONANTS, **VOWELS, WORD: "_", BOS: "pau", EOS: "pau"}
    for i, symbol in enumerate(SYMBOLS):
        if symbol in names:
            token_of[i] = TOKEN_ID[names[symbol]]
    flag = lambda test: torch.tensor([1.0 if test(name) else 0.0 for name in TOKENS])
    plain = set(VOWELS.values())
    return {
        "token_of": token_of,
        "stressed_of": torch.tensor([TOKEN_ID.get(f"{name}1", i) for i, name in enumerate(TOKENS)]),
        "pause": flag(lambda name: name.startswith("pau")),
        "question": flag(lambda name: name == "pau?"),
        "vowel": flag(lambda name: name.rstrip("1") in plain),
        "stressed": flag(lambda name: name.endswith("1")),
        "sonorant": flag(lambda name: name.rstrip("1") in plain or name in SONORANTS),
        "timed": flag(lambda name: name not in ("<pad>", "_")),
        "shortest": torch.tensor([float(SHORTEST_FRAMES.get(name, 2)) for name in TOKENS]) * flag(lambda name: name not in ("<pad>", "_")),
    }


class Graph(nn.Module):
    """`pitch_gain` and `length_gain` make up, per speaker, for how much flatter and shorter than the recordings the model speaks."""

    def __init__(self, voice: Voice, pitch_gain: list[float], length_gain: list[float]) -> None:
        super().__init__()
        self.voice = voice
        self.register_buffer("pitch_gain", torch.tensor(pitch_gain))
        self.register_buffer("length_gain", torch.tensor(length_gain))
        for name, table in _tables().items():
            self.register_buffer(name, table)

    def controls(self, scales: torch.Tensor, batch: int, length: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The four numbers, and pitch offsets and duration factors per id [B, T]; what `scales` is too short to say is neutral."""
        cells = batch * length
        neutral = torch.cat([torch.tensor(NEUTRAL), torch.zeros(cells), torch.ones(cells)])
        full = torch.cat([scales, neutral[scales.shape[0] :]])
        return full[:4], full[4 : 4 + cells].reshape(batch, length), full[4 + cells : 4 + 2 * cells].reshape(batch, length)

    def compact(self, input: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Tokens [B, N] without pads and stress marks, their mask, which id each came from, and each id's slot [B, T].

        `$` counts as a pause only where the text ends without one.
        """
        batch, length = input.shape
        at = torch.arange(length)
        ids = torch.where(at[None] < lengths[:, None], input, torch.zeros_like(input)).clamp(0, len(SYMBOLS) - 1)
        token = self.token_of[ids]
        kept = (token > 0).long()
        before = torch.cumsum(kept, 1) - kept
        count = kept.sum(1, keepdim=True)
        width = count.max().clamp(min=1)
        nowhere = torch.zeros_like(before) + width
        slots = torch.zeros(batch, width + 1, dtype=torch.long)
        source = slots.scatter(1, torch.where(kept > 0, before, nowhere), at[None].expand(batch, -1))[:, :-1]
        marked = slots.scatter(1, torch.where(ids == SYMBOLS.index(PRIMARY), before, nowhere), torch.ones_like(ids))[:, :-1]
        tokens = torch.gather(token, 1, source)
        tokens = torch.where(marked > 0, self.stressed_of[tokens], tokens)
        ends = (ids == SYMBOLS.index(EOS)).long().max(1, keepdim=True)[0]
        paused = self.pause[torch.gather(tokens, 1, (count - 2).clamp(min=0))].long() * (count > 1).long()
        total = count - ends * paused
        mask = (torch.arange(width)[None] < total).float()
        spoken = kept * (before < total).long()
        return (tokens * mask.long(), mask, source, before.clamp(max=width - 1), spoken)

    def time(self, tokens: torch.Tensor, mask: torch.Tensor, log_frames: torch.Tensor, speed: torch.Tensor, speaker: torch.Tensor) -> torch.Tensor:
        """Whole frames of every token. `speed` [B, N] multiplies lengths."""
        slot = torch.cumsum(mask, 1)
        total = mask.sum(1, keepdim=True)
        shortest = self.shortest[tokens]
        edge = self.pause[tokens] * ((slot == total).float() * EDGE_FRAMES[1] + (slot == 1).float() * EDGE_FRAMES[0])
        shortest = torch.where(edge > 0, edge.clamp(max=float(EDGE_FRAMES[1])), shortest)
        frames = (torch.exp(log_frames.clamp(max=math.log1p(LONGEST_FRAMES))) - 1) * self.length_gain[speaker][:, None]
        frames = torch.floor(torch.maximum(frames, shortest) * speed + 0.5)
        return torch.maximum(frames, torch.ones_like(frames)) * mask * self.timed[tokens]

    def question_rise(self, tokens: torch.Tensor, mask: torch.Tensor, frames: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """For tokens from the last stressed vowel before a `?` up to it: 1, frames since that vowel began, frames in all, 1 if sonorant; [B, N, 1] each."""
        pause = self.pause[tokens] * mask
        phrase = torch.cumsum(pause, 1) - pause
        together = (phrase[:, :, None] == phrase[:, None, :]).float() * mask[:, None, :]
        later = torch.triu(torch.ones_like(together[0]), 1)[None] * together
        asks = together @ (self.question[tokens] * mask)[..., None]
        stressed, vowel = (self.stressed[tokens] * mask)[..., None], (self.vowel[tokens] * mask)[..., None]
        nucleus = torch.where(together @ stressed > 0, stressed, vowel)
        after = later @ nucleus
        begun = together @ nucleus - after
        region = asks.clamp(max=1.0) * (after == 0).float() * (begun > 0).float() * (1 - pause[..., None])
        length = region * frames[..., None]
        return region, later.transpose(1, 2) @ length, together @ length, region * self.sonorant[tokens][..., None]

    def pitch(self, log_f0: torch.Tensor, owner: torch.Tensor, inside: torch.Tensor, since: torch.Tensor, offsets: torch.Tensor,
              rise: tuple[torch.Tensor, torch.Tensor, torch.Tensor], controls: torch.Tensor, speaker: torch.Tensor) -> torch.Tensor:
        """log F0 [B, F, 1] with range, mean shift, offsets per token (semitones, glided over 72 ms) and the rise of questions."""
        mean = self.voice.mean[speaker][:, None, :1]
        width = 0.6 + 0.5 * controls[2]
        log_f0 = mean + (log_f0 - mean) * self.pitch_gain[speaker][:, None, None] * width
        smooth = lambda x: F.avg_pool1d(x.transpose(1, 2), SMOOTH_FRAMES, 1, SMOOTH_FRAMES // 2).transpose(1, 2)
        shift = smooth(owner @ offsets[..., None]) / smooth(inside).clamp(min=1e-3)
        region, begun, length = (owner @ part for part in rise)
        shift = shift + region * QUESTION_SEMITONES * width * (begun + since) / length.clamp(min=1.0)
        return torch.clamp(log_f0 + (shift + controls[3]) * (math.log(2) / 12), *LOG_F0_LIMITS)

    def forward(self, input: torch.Tensor, input_lengths: torch.Tensor, scales: torch.Tensor, sid: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        voice = self.voice
        batch, length = input.shape
        controls, offsets, factors = self.controls(scales, batch, length)
        speaker = sid.clamp(0, voice.mean.shape[0] - 1)
        tokens, mask, source, slot, spoken = self.compact(input, input_lengths)
        encoded, log_frames = voice.encode(tokens, mask, speaker)
        frames = self.time(tokens, mask, log_frames, controls[1] * torch.gather(factors, 1, source), speaker)
        count = frames.sum(1).max().long().clamp(min=1)
        owner, inside, since = voice.spread_out(frames, count)
        h = voice.expand(encoded, frames, owner, inside, since)
        y = voice.scale(voice.decode(h, inside.transpose(1, 2), speaker), speaker)
        *rise, rise_voiced = self.question_rise(tokens, mask, frames)
        log_f0 = self.pitch(y[..., :1], owner, inside, since, torch.gather(offsets, 1, source), rise, controls, speaker)
        voiced = torch.maximum((y[..., 1:2] > 0).float() * inside, owner @ rise_voiced)
        y = voice.correction(torch.cat([log_f0, voiced, y[..., 2:]], -1), speaker)
        last = torch.arange(count)[None] == frames.sum(1, keepdim=True).long() - 1
        noise = voice.vocoder.noise(count)[None] * (controls[0] / NEUTRAL[0])
        samples = voice.vocoder(y, noise.expand(batch, -1, -1), inside, last) * inside
        durations = torch.gather(frames, 1, slot) * spoken
        return samples.clamp(-1.0, 1.0).reshape(batch, 1, count * HOP), durations.long()
