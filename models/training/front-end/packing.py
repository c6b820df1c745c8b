"""Writes `lexicon.bin`: a line of JSON that says what follows, then sections, each compressed by zlib. Numbers are little endian."""

import json
import struct
import zlib
from pathlib import Path

from ngram import Model

BLOCK = 32
# Log probabilities are stored as one byte: 0 is certain, each step is 1/12 of a nat.
STEPS_PER_NAT = 12


def pack_words(entries: list[tuple[str, list[int]]]) -> tuple[bytes, bytes]:
    """Sorted words, front coded in blocks: shared characters, own characters, phones; each with its count before it. And where blocks begin."""
    body = bytearray()
    starts = []
    previous = ""
    for i, (word, codes) in enumerate(entries):
        if i % BLOCK == 0:
            starts.append(len(body))
            previous = ""
        shared = 0
        while shared < min(len(previous), len(word)) and previous[shared] == word[shared]:
            shared += 1
        own = word[shared:].encode("ascii")
        body += bytes([shared, len(own)]) + own + bytes([len(codes)]) + bytes(codes)
        previous = word
    return bytes(body), struct.pack(f"<{len(starts)}I", *starts)


def byte_of(value: float) -> int:
    return min(255, max(0, round(-value * STEPS_PER_NAT)))


def pack_model(model: Model) -> list[bytes]:
    """The n-grams as a trie, one level after the other: symbol, probability, backoff (shifted by 64 steps) and number of children."""
    grams = [sorted(level) for level in model.prob]
    children: dict[tuple[int, ...], int] = {}
    for level in grams[2:]:
        for gram in level:
            children[gram[:-1]] = children.get(gram[:-1], 0) + 1
    symbols, probabilities, backoffs, counts = bytearray(), bytearray(), bytearray(), bytearray()
    for size in range(1, model.order + 1):
        for gram in grams[size]:
            symbols += struct.pack("<H", gram[-1])
            probabilities.append(byte_of(model.prob[size][gram]))
            backoffs.append(min(255, max(0, 64 + round(-model.backoff[size].get(gram, 0.0) * STEPS_PER_NAT))))
            counts += struct.pack("<H", children.get(gram, 0))
    return [bytes(symbols), bytes(probabilities), bytes(backoffs), bytes(counts)]


def write_lexicon(path: Path, symbols: list[str], entries: list[tuple[str, list[int]]], graphones: list[tuple[str, list[int]]], model: Model) -> None:
    words, starts = pack_words(entries)
    sections = [words, starts, *pack_model(model)]
    packed = [zlib.compress(section, 9) for section in sections]
    header = {
        "format": "parley-lexicon-1",
        "symbols": symbols,
        "words": len(entries),
        "wordsPerBlock": BLOCK,
        "graphones": [[letter, *codes] for letter, codes in graphones],
        "order": model.order,
        "levels": [len(level) for level in model.prob[1:]],
        "stepsPerNat": STEPS_PER_NAT,
        "sections": [len(section) for section in packed],
    }
    line = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    path.write_bytes(line + b"".join(packed))
