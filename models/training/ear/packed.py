"""Reading and writing the words file; FORMAT.md says what every byte means."""

import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

UNKNOWN, START, END, FIRST = 0, 1, 2, 3
NO_BIGRAM = 255


@dataclass
class Words:
    """Vocabulary, pronunciations (phone ids) and a trigram model with natural logarithms. Word ids as in FORMAT.md."""

    words: list[str]
    pronunciations: list[list[list[int]]]
    unigram: list[float]
    unigram_backoff: dict[int, float]
    bigram: dict[tuple[int, int], float]
    bigram_backoff: dict[tuple[int, int], float] = field(default_factory=dict)
    trigram: dict[tuple[int, int, int], float] = field(default_factory=dict)


def probability_code(value: float, largest: int = 255) -> int:
    return int(min(largest, max(0, round(-value * 12))))


def backoff_code(value: float) -> int:
    return int(min(255, max(0, round((value + 9.5) * 22))))


def _variable(number: int) -> bytes:
    out = bytearray()
    while number >= 128:
        out.append(128 | number & 127)
        number >>= 7
    out.append(number)
    return bytes(out)


def write(path: Path, model: Words) -> None:
    ids = len(model.words) + FIRST
    if ids > 65_535:
        raise ValueError(f"{len(model.words)} words: word ids have 16 bits")
    lexicon = bytearray()
    for pronunciations in model.pronunciations:
        lexicon.append(len(pronunciations))
        for phones in pronunciations:
            lexicon.append(len(phones))
            lexicon += bytes(phones)
    third: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for (a, b, c), value in model.trigram.items():
        third.setdefault((a, b), []).append((c, value))
    pairs = sorted(set(model.bigram) | set(third))
    start = np.zeros(ids + 1, "<u4")
    np.add.at(start, [a + 1 for a, _ in pairs], 1)
    start = np.cumsum(start).astype("<u4")
    counts, tri_words, tri_codes = bytearray(), [], bytearray()
    for pair in pairs:
        found = sorted(third.get(pair, []))
        counts += _variable(len(found))
        tri_words += [c for c, _ in found]
        tri_codes += bytes(probability_code(value) for _, value in found)
    word_list = "\n".join(model.words).encode("ascii")
    path.write_bytes(
        struct.pack("<6I", len(model.words), len(pairs), len(tri_words), len(word_list), len(lexicon), len(counts))
        + word_list
        + bytes(lexicon)
        + bytes(probability_code(value) for value in model.unigram)
        + bytes(backoff_code(model.unigram_backoff.get(i, 0.0)) for i in range(ids))
        + start.tobytes()
        + np.array([b for _, b in pairs], "<u2").tobytes()
        + bytes(probability_code(model.bigram[pair], NO_BIGRAM - 1) if pair in model.bigram else NO_BIGRAM for pair in pairs)
        + bytes(backoff_code(model.bigram_backoff.get(pair, 0.0)) for pair in pairs)
        + bytes(counts)
        + np.array(tri_words, "<u2").tobytes()
        + bytes(tri_codes)
    )


def read(path: Path) -> Words:
    data = path.read_bytes()
    word_count, pair_count, tri_count, word_bytes, lexicon_bytes, count_bytes = struct.unpack("<6I", data[:24])
    position = 24

    def take(size: int) -> bytes:
        nonlocal position
        position += size
        return data[position - size : position]

    words = take(word_bytes).decode("ascii").split("\n")
    lexicon, at, pronunciations = take(lexicon_bytes), 0, []
    for _ in words:
        found = []
        at += 1
        for _ in range(lexicon[at - 1]):
            found.append(list(lexicon[at + 1 : at + 1 + lexicon[at]]))
            at += 1 + lexicon[at]
        pronunciations.append(found)
    ids = word_count + FIRST
    unigram = [-code / 12 for code in take(ids)]
    unigram_backoff = {i: code / 22 - 9.5 for i, code in enumerate(take(ids))}
    start = np.frombuffer(take(4 * ids + 4), "<u4")
    second = np.frombuffer(take(2 * pair_count), "<u2").tolist()
    codes, backoffs, counts = take(pair_count), take(pair_count), take(count_bytes)
    third, tri_codes = np.frombuffer(take(2 * tri_count), "<u2").tolist(), take(tri_count)
    model = Words(words, pronunciations, unigram, unigram_backoff, {})
    first = np.repeat(np.arange(ids), np.diff(start)).tolist()
    at = done = 0
    for entry, pair in enumerate(zip(first, second, strict=True)):
        if codes[entry] != NO_BIGRAM:
            model.bigram[pair] = -codes[entry] / 12
        number = shift = 0
        while True:
            number |= (counts[at] & 127) << shift
            shift += 7
            at += 1
            if counts[at - 1] < 128:
                break
        if number:
            model.bigram_backoff[pair] = backoffs[entry] / 22 - 9.5
        for _ in range(number):
            model.trigram[*pair, third[done]] = -tri_codes[done] / 12
            done += 1
    return model
