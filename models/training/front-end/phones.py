"""CMUdict's phones as the symbols that Parley's English voice knows: one code point each, stress before the vowel."""

CONSONANTS = {
    "B": "b", "CH": "ʧ", "D": "d", "DH": "ð", "F": "f", "G": "g", "HH": "h", "JH": "ʤ", "K": "k", "L": "l", "M": "m", "N": "n",
    "NG": "ŋ", "P": "p", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t", "TH": "θ", "V": "v", "W": "w", "Y": "j", "Z": "z", "ZH": "ʒ",
}
VOWELS = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "ᴡ", "AY": "ᴉ", "EH": "ɛ", "ER": "ɝ", "EY": "ᴀ", "IH": "ɪ", "IY": "i",
    "OW": "ᴏ", "OY": "ʏ", "UH": "ʊ", "UW": "u",
}
STRESS = {"0": "", "1": "ˈ", "2": "ˌ"}


def symbol(phone: str) -> str:
    """`AH0` is `ə`, `AH1` is `ˈʌ`, `T` is `t`."""
    if phone in CONSONANTS:
        return CONSONANTS[phone]
    if phone == "AH0":
        return "ə"
    return STRESS[phone[-1]] + VOWELS[phone[:-1]]


ALL_SYMBOLS = [
    *CONSONANTS.values(),
    "ə",
    *(mark + vowel for vowel in VOWELS.values() for mark in ("", "ˈ", "ˌ") if vowel + mark != "ʌ"),
]


def without_stress(symbols: list[str]) -> list[str]:
    """The phones alone; stressed and unstressed `ah` are one phone."""
    return [s.strip("ˈˌ").replace("ə", "ʌ") for s in symbols]
