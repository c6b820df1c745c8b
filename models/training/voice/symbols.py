"""The symbols that the voice reads, and the tokens that its network learns.

Symbols are what callers send: single Unicode code points with the ids of `phoneme_id_map`.
Tokens are the rows of the embedding: flite's phone set with stress folded into the vowel.
The graph turns the first into the second (export.py), so that callers need not know the tokens.
"""

CONSONANTS = {
    "b": "b", "d": "d", "f": "f", "g": "g", "h": "hh", "j": "y", "k": "k", "l": "l", "m": "m", "n": "n", "ŋ": "ng", "p": "p",
    "ɹ": "r", "s": "s", "ʃ": "sh", "t": "t", "θ": "th", "ð": "dh", "v": "v", "w": "w", "z": "z", "ʒ": "zh", "ʧ": "ch", "ʤ": "jh",
}
VOWELS = {
    "ɑ": "aa", "æ": "ae", "ʌ": "ah", "ɔ": "ao", "ᴡ": "aw", "ᴉ": "ay", "ɛ": "eh", "ɝ": "er", "ᴀ": "ey", "ɪ": "ih", "i": "iy",
    "ᴏ": "ow", "ʏ": "oy", "ʊ": "uh", "u": "uw", "ə": "ax",
}
PAUSES = {".": "pau.", ",": "pau,", "?": "pau?", "!": "pau!", ";": "pau;", ":": "pau;", "|": "pau"}
PAD, BOS, EOS, WORD, PRIMARY, SECONDARY = "_", "^", "$", " ", "ˈ", "ˌ"

SYMBOLS = [PAD, BOS, EOS, WORD, *PAUSES, PRIMARY, SECONDARY, *CONSONANTS, *VOWELS]
"""Every symbol; its index is its id."""

_PLAIN = sorted([*CONSONANTS.values(), *VOWELS.values()])
TOKENS = ["<pad>", "_", "pau", "pau.", "pau,", "pau?", "pau!", "pau;", *_PLAIN, *[f"{v}1" for v in sorted(VOWELS.values())]]
"""Every token; its index is its row in the embedding. `_` is a word boundary and lasts no time."""

TOKEN_ID = {token: i for i, token in enumerate(TOKENS)}
VOWEL_NAMES = frozenset(VOWELS.values())
_FLITE_TO_SYMBOL = {flite: symbol for symbol, flite in {**CONSONANTS, **VOWELS}.items()}
_PAUSE_TO_SYMBOL = {"pau.": ".", "pau,": ",", "pau?": "?", "pau!": "!", "pau;": ";", "pau": "|"}


def token_name(phone: str, stress: str) -> str:
    """The token of a flite segment: `phone` as the dumper writes it (pauses carry their punctuation), `stress` "0" or "1"."""
    if phone.startswith("pau") and phone not in TOKEN_ID:
        return "pau"
    return f"{phone}1" if stress == "1" and f"{phone}1" in TOKEN_ID else phone


def symbols_of(tokens: list[str]) -> str:
    """The string that a caller would send for a list of tokens. A leading pause is left out: `^` stands for it."""
    out = []
    for i, token in enumerate(tokens):
        if token == "_":
            out.append(WORD)
        elif token.startswith("pau"):
            out.append("" if i == 0 else _PAUSE_TO_SYMBOL[token])
        elif token.endswith("1"):
            out.append(PRIMARY + _FLITE_TO_SYMBOL[token[:-1]])
        else:
            out.append(_FLITE_TO_SYMBOL[token])
    return "".join(out)


def ids_of(text: str) -> list[int]:
    """Piper's id sequence of a string of symbols: `^ _ (p _)* $`."""
    known = {symbol: i for i, symbol in enumerate(SYMBOLS)}
    ids = [known[BOS], known[PAD]]
    for symbol in text:
        ids += [known[symbol], known[PAD]]
    return [*ids, known[EOS]]
