"""How written numbers are said: digits, prices, times, years and ordinals become words, as a recognizer hears them."""

import re

ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen").split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth"}
UNITS = {"$": "dollar", "£": "pound", "€": "euro"}


def cardinal(number: int) -> str:
    """1204 -> one thousand two hundred four; below a billion."""
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            return f"{cardinal(number // size)} {name}" + (f" {cardinal(rest)}" if rest else "")
    if number < 20:
        return ONES[number]
    return TENS[number // 10] + (f" {ONES[number % 10]}" if number % 10 else "")


def ordinal(number: int) -> str:
    *before, last = cardinal(number).split()
    last = ORDINALS.get(last) or (last[:-1] + "ieth" if last.endswith("y") else last + "th")
    return " ".join([*before, last])


def pair(number: int) -> str:
    """Two digits after a colon or a century: 05 -> oh five."""
    return f"oh {ONES[number]}" if number < 10 else cardinal(number)


def year(number: int) -> str:
    if number % 1000 < 10 or number % 100 == 0:
        return cardinal(number) if number % 1000 < 10 else f"{cardinal(number // 100)} hundred"
    return f"{cardinal(number // 100)} {pair(number % 100)}"


def digits(number: str) -> str:
    return " ".join(ONES[int(digit)] for digit in number)


def whole(number: str) -> str:
    """A number without separators: a year, a count, or digits one by one."""
    if len(number) > 4 or (number[0] == "0" and len(number) > 1):
        return digits(number)
    return year(int(number)) if len(number) == 4 and "1099" < number < "2100" else cardinal(int(number))


def _time(found: re.Match) -> str:
    minutes = int(found[2])
    return whole(found[1].lstrip("0") or "0") + (f" {pair(minutes)}" if minutes else "")


def _price(found: re.Match) -> str:
    unit, dollars, cents = UNITS[found[1]], found[2].replace(",", ""), found[3]
    if cents and cents != "00":
        coins = f"{unit}s and {cardinal(int(cents))} cents" if unit == "dollar" else pair(int(cents))
        return f"{cardinal(int(dollars))} {coins}"
    return f"{cardinal(int(dollars))} {unit}" + ("" if dollars == "1" else "s")


def say(text: str) -> str:
    """The text with its numbers, `&` and `%` written out; anything that is not understood stays."""
    text = text.replace("&", " and ").replace("%", " percent ")
    if not re.search(r"\d", text):
        return re.sub(r"\bpm\b", "p m", text)
    text = re.sub(r"(\d)\s?([ap])\.?m\b\.?", r"\1 \2 m", text, flags=re.I)
    text = re.sub(r"([$£€])(\d{1,3}(?:,?\d{3}){0,2})(?:\.(\d\d))?(?!\d)", _price, text)
    text = re.sub(r"\b(\d{1,2}):(\d\d)\b", _time, text)
    text = re.sub(r"\b(\d{1,3}(?:,\d{3}){1,2})\b", lambda found: cardinal(int(found[1].replace(",", ""))), text)
    text = re.sub(r"\b(\d{1,3})(st|nd|rd|th)\b", lambda found: ordinal(int(found[1])), text)
    text = re.sub(r"\b(\d{1,5})\.(\d{1,4})\b", lambda found: f"{cardinal(int(found[1]))} point {digits(found[2])}", text)
    return re.sub(r"\d+", lambda found: f" {whole(found[0])} ", text)
