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


@dataclass
class Tables:
    """The same as sorted arrays, for models of millions of entries. Keys are `a * ids + b` and `(a * ids + b) * ids + c`, `ids` words and FIRST."""

    words: list[str]
    pronunciations: list[list[list[int]]]
    unigram: np.ndarray
    unigram_backoff: np.ndarray
    bigrams: np.ndarray
    bigram: np.ndarray
    histories: np.ndarray
    history_backoff: np.ndarray
    trigrams: np.ndarray
    trigram: np.ndarray


def probability_codes(values: np.ndarray, largest: int = 255) -> np.ndarray:
    return np.clip(np.round(-values * 12), 0, largest).astype(np.uint8)


def backoff_codes(values: np.ndarray) -> np.ndarray:
    return np.clip(np.round((values + 9.5) * 22), 0, 255).astype(np.uint8)


def _variable(number: int) -> bytes:
    out = bytearray()
    while number >= 128:
        out.append(128 | number & 127)
        number >>= 7
    out.append(number)
    return bytes(out)


def write(path: Path, model: Tables) -> None:
    ids = len(model.words) + FIRST
    if ids > 65_535:
        raise ValueError(f"{len(model.words)} words: word ids have 16 bits")
    lexicon = bytearray()
    for pronunciations in model.pronunciations:
        lexicon.append(len(pronunciations))
        for phones in pronunciations:
            lexicon.append(len(phones))
            lexicon += bytes(phones)
    pairs = np.union1d(model.bigrams, model.histories)
    start = np.searchsorted(pairs, np.arange(ids + 1) * ids).astype("<u4")
    codes = np.full(len(pairs), NO_BIGRAM, np.uint8)
    codes[np.searchsorted(pairs, model.bigrams)] = probability_codes(model.bigram, NO_BIGRAM - 1)
    backoffs = np.full(len(pairs), backoff_codes(np.zeros(1))[0])
    backoffs[np.searchsorted(pairs, model.histories)] = backoff_codes(model.history_backoff)
    counts = b"".join(map(_variable, np.diff(np.searchsorted(model.trigrams // ids, [*pairs, ids * ids])).tolist()))
    word_list = "\n".join(model.words).encode("ascii")
    path.write_bytes(
        struct.pack("<6I", len(model.words), len(pairs), len(model.trigrams), len(word_list), len(lexicon), len(counts))
        + word_list
        + bytes(lexicon)
        + probability_codes(model.unigram).tobytes()
        + backoff_codes(model.unigram_backoff).tobytes()
        + start.tobytes()
        + (pairs % ids).astype("<u2").tobytes()
        + codes.tobytes()
        + backoffs.tobytes()
        + counts
        + (model.trigrams % ids).astype("<u2").tobytes()
        + probability_codes(model.trigram).tobytes()
    )


def word_list(path: Path) -> list[str]:
    with path.open("rb") as file:
        size = struct.unpack("<6I", file.read(24))[3]
        return file.read(size).decode("ascii").split("\n")


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
