"""The prosody network: from the front end's columns of each symbol to the pitch of the symbol, and the graph that Parley runs.

The voice hears only phones. This network also sees which word a phone belongs to, what kind of word it is, and where it stands in its phrase and
sentence. It is small, because it learns from two hours of two readers: embeddings added up, residual convolutions, one attention over the whole text.
"""

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from graph import QUESTION_SEMITONES
from symbols import SYMBOLS

COLUMNS = ("stressed", "word", "wordKind", "syllablesBefore", "syllablesAfter", "wordsFromPhraseStart", "wordsToPhraseEnd", "wordsFromSentenceStart",
           "wordsToSentenceEnd", "phrasesFromSentenceStart", "phrasesToSentenceEnd", "markAfterPhrase", "markBeforePhrase", "sentenceType", "saidBefore",
           "name", "listItem")
"""`prosodyColumns` of workers/text/pronunciation/prosody-features.ts, in its order."""
SIZES = (2, None, 31, 6, 6, 10, 10, 16, 16, 5, 5, 8, 9, 5, 2, 2, 2)
"""Values of each column; of words, the common ones have an embedding each, the others one for how common they are."""
COMMON_WORDS, LISTED_WORDS = 200, 2000
STRESSED, WORD, WORDS_TO_PHRASE_END, MARK_AFTER, MARK_BEFORE, SENTENCE_TYPE = (
    COLUMNS.index(name) for name in ("stressed", "word", "wordsToPhraseEnd", "markAfterPhrase", "markBeforePhrase", "sentenceType"))
QUESTION_AFTER = 7
"""`markAfterPhrase` of a phrase that ends with `?`."""


def _heard(size: int, replaced: dict[int, int]) -> torch.Tensor:
    return torch.tensor([replaced.get(i, i) for i in range(size)])


class Attention(nn.Module):
    """Residual self-attention over the symbols. Starts as the identity."""

    def __init__(self, channels: int, heads: int = 4) -> None:
        super().__init__()
        self.n, self.qkv, self.o, self.heads = nn.LayerNorm(channels), nn.Linear(channels, 3 * channels), nn.Linear(channels, channels), heads
        nn.init.zeros_(self.o.weight)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, channels = x.shape
        q, k, v = self.qkv(self.n(x)).reshape(batch, length, 3, self.heads, channels // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-1, -2)) / math.sqrt(channels // self.heads) + (mask - 1)[:, None, None] * 1e4
        return x + self.o((torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(batch, length, channels))


class Prosody(nn.Module):
    """The pitch of each symbol in standard deviations of its speaker, [B, N].

    No reader of the training data asks or calls out, so questions and exclamations are read as statements; the rise of questions is a rule.
    """

    def __init__(self, speakers: int, channels: int = 96, dropout: float = 0.35, column_dropout: float = 0.1) -> None:
        super().__init__()
        self.sym = nn.Embedding(60, channels)
        self.cols = nn.ModuleList([nn.Embedding(COMMON_WORDS + 1 if size is None else size, channels) for size in SIZES])
        self.bucket = nn.Embedding(13, channels)
        self.spk = nn.Embedding(speakers, channels)
        self.pos = nn.Linear(4, channels)
        for table in [self.sym, self.bucket, self.spk, *self.cols]:
            nn.init.normal_(table.weight, 0, 0.15)
        dilations = (1, 2, 4, 8)
        self.convs = nn.ModuleList([nn.Conv1d(channels, channels, 5, padding=2 * dilation, dilation=dilation) for dilation in dilations])
        self.points = nn.ModuleList([nn.Conv1d(channels, channels, 1) for _ in dilations])
        self.norms = nn.ModuleList([nn.LayerNorm(channels) for _ in dilations])
        self.gain = nn.Embedding(speakers, channels)
        nn.init.zeros_(self.gain.weight)
        self.att, self.on, self.out = Attention(channels), nn.LayerNorm(channels), nn.Linear(channels, 2)
        nn.init.normal_(self.out.weight, 0, 0.02)
        self.dropout, self.column_dropout = dropout, column_dropout
        rank = torch.arange(LISTED_WORDS + 1)
        self.register_buffer("bk", torch.where(rank > 0, torch.log2(rank.clamp(min=1).float()).floor().long() + 1, torch.tensor(12)).clamp(max=12))
        at = SYMBOLS.index
        self.register_buffer("symbol_as", _heard(60, {at("?"): at("."), at("!"): at(".")}), persistent=False)
        self.register_buffer("after_as", _heard(8, {6: 5, 7: 5}), persistent=False)
        self.register_buffer("before_as", _heard(9, {7: 6, 8: 6}), persistent=False)

    def column(self, columns: torch.Tensor, i: int) -> torch.Tensor:
        """The embedding of one column."""
        value = columns[..., i]
        if i == WORD:
            rare = self.bucket(self.bk[value])
            return rare + self.cols[i](torch.where(value <= COMMON_WORDS, value, torch.zeros_like(value)))
        if i == SENTENCE_TYPE:
            value = torch.where((value >= 1) & (value <= 3), torch.zeros_like(value), value)
        value = {MARK_AFTER: self.after_as, MARK_BEFORE: self.before_as}[i][value] if i in (MARK_AFTER, MARK_BEFORE) else value
        return self.cols[i](value)

    def forward(self, symbols: torch.Tensor, columns: torch.Tensor, mask: torch.Tensor, speaker: torch.Tensor) -> torch.Tensor:
        x = self.sym(self.symbol_as[symbols]) + self.spk(speaker)[:, None] + self.place(mask)
        for i in range(len(SIZES)):
            part = self.column(columns, i)
            if self.training:
                part = part * ((torch.rand(len(x), 1, 1) > self.column_dropout).float() / (1 - self.column_dropout))
            x = x + part
        return self.read(x, mask, speaker)

    def place(self, mask: torch.Tensor) -> torch.Tensor:
        at, count = mask.cumsum(1), mask.sum(1, keepdim=True)
        return self.pos(torch.stack([at / 50, (count - at) / 50, at / count, (count / 100).expand_as(at)], -1).clamp(max=3))

    def read(self, x: torch.Tensor, mask: torch.Tensor, speaker: torch.Tensor) -> torch.Tensor:
        """The pitch from what is known of each symbol."""
        x = F.dropout(x, self.dropout / 2, self.training) * mask[..., None]
        for i, (wide, point, norm) in enumerate(zip(self.convs, self.points, self.norms)):
            inner = F.relu(wide((norm(x) * mask[..., None]).transpose(1, 2)))
            x = x + point(F.dropout(inner, self.dropout, self.training)).transpose(1, 2) * mask[..., None]
            if i == 1:
                x = self.att(x, mask)
        x = self.on(x) * (1 + self.gain(speaker)[:, None])
        return self.out(F.dropout(x, self.dropout, self.training))[..., 0]


class ProsodyGraph(nn.Module):
    """One text's symbols [N] and columns [N, 17] to semitones for each symbol [N].

    `semitones` says per speaker of the voice how many a unit of the network is, 0 for speakers that it does not know; `own_range` how much of the voice's own
    movement, and with it of the voice's own rise of questions, the engine leaves. `range` is the voice's `scales[2]` of the call.
    """

    def __init__(self, network: Prosody, semitones: list[float], own_range: list[float]) -> None:
        super().__init__()
        self.network = network
        self.register_buffer("semitones", torch.tensor(semitones))
        self.register_buffer("own_range", torch.tensor(own_range))
        self.register_buffer("known", torch.tensor([i if value > 0 else 0 for i, value in enumerate(semitones)]))
        for name, table in self.tables().items():
            self.register_buffer(name, table)

    def tables(self) -> dict[str, torch.Tensor]:
        """All embeddings one below the other (symbols, columns, how common words are), where those of each begin, and which row stands for each value."""
        network = self.network
        parts = [network.sym.weight, *[column.weight for column in network.cols], network.bucket.weight]
        begins = np.cumsum([0, *map(len, parts[:-1])])
        rank = torch.arange(LISTED_WORDS + 1)
        values = [network.symbol_as, *[torch.arange(size or 0) for size in SIZES], network.bk]
        values[1 + WORD] = torch.where(rank <= COMMON_WORDS, rank, torch.zeros_like(rank))
        values[1 + MARK_AFTER], values[1 + MARK_BEFORE] = network.after_as, network.before_as
        values[1 + SENTENCE_TYPE] = torch.tensor([0, 0, 0, 0, 4])
        rows = torch.cat([value + int(begin) for value, begin in zip(values, begins)])
        starts = torch.tensor(np.cumsum([0, *map(len, values[:-1])]))
        # The silence before a recording, which the network learned with; callers leave it out.
        silence = torch.tensor([[SYMBOLS.index("^"), *[0] * (len(values) - 1)]])
        return {"table": torch.cat(parts).detach(), "rows": rows, "starts": starts, "silence": silence}

    def asked(self, columns: torch.Tensor) -> torch.Tensor:
        """1 from the last stressed vowel before a `?` on, as `graph.Graph.question_rise` has it, else 0."""
        last = ((columns[:, WORDS_TO_PHRASE_END] == 0) & (columns[:, MARK_AFTER] == QUESTION_AFTER)).float()
        stress = last * (columns[:, STRESSED] == 1).float()
        # Symbols of one last word: as many of them lie between two as there are symbols.
        gap = torch.cumsum(last, 0) - torch.cumsum(torch.ones_like(last), 0)
        same = (gap[:, None] == gap[None]).float() * last[None] * last[:, None]
        later = torch.triu(torch.ones_like(same), 1) * same
        return last * ((later @ stress[:, None])[:, 0] == 0).float()

    def forward(self, symbols: torch.Tensor, columns: torch.Tensor, speaker: torch.Tensor, range: torch.Tensor) -> torch.Tensor:
        network, known = self.network, self.known[speaker]
        values = torch.cat([symbols[:, None], columns, columns[:, WORD : WORD + 1]], 1)
        values = torch.cat([self.silence, values]) + self.starts
        mask = torch.ones_like(values[:, 0]).float()[None]
        x = self.table[self.rows[values]].sum(1)[None] + network.spk(known)[:, None] + network.place(mask)
        own = self.own_range[speaker]
        pitch, asked = network.read(x, mask, known)[0, 1:] * self.semitones[speaker], self.asked(columns)
        # Texts come in chunks: each is to lie about the speaker's own pitch, whatever chunks went before.
        pitch = pitch - pitch.mean()
        # A question does not end as low as the statement that the network has read.
        pitch = torch.where(asked > 0, pitch.clamp(min=0) + (1 - own) * QUESTION_SEMITONES, pitch)
        return pitch * (0.6 + 0.5 * range) / own
