"""Texts for the distilled speakers: public-domain lines of LJSpeech and everyday sentences made from templates."""

import argparse
import random
import re
from pathlib import Path

_NAMES = "Anna Ben Carla David Emma Frank Grace Henry Iris James Kate Louis Maria Noah Olga Paul Rita Sam Tina Victor".split()
_PLACES = "Boston Paris Chicago London Denver Madrid Seattle Dublin Austin Berlin Oslo Rome Toronto Tokyo Houston".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_THINGS = ("letter order table ticket room phone bill report train window lamp garden bottle jacket coffee sandwich book camera key bicycle "
           "message picture doctor package kitchen computer meeting flight hotel river bridge market").split()
_DOES = "open|close|find|buy|bring|send|change|check|move|clean|cancel|repair|paint|keep|use|watch|order|return".split("|")
_QUALITIES = "new|old|small|large|warm|cold|quiet|bright|heavy|cheap|broken|ready|empty|late|early|green|blue|red|strange|simple".split("|")
_NUMBERS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty two|fifty|sixty|ninety".split("|")
_TEMPLATES = [
    "Hello {name}, how are you today?", "Good morning, this is {name} from {place}.", "Did you {do} the {thing}?",
    "Could you {do} the {quality} {thing}, please?", "Is the {thing} {quality} or {quality2}?", "Would you like to {do} it on {day}?",
    "Are you going to {place} on {day}?", "Will {name} {do} the {thing} before {day}?", "Do we need {number} {thing}s?",
    "Have you seen {name}?", "Can I {do} a {thing} here?", "You want to {do} the {thing}?",
    "What time does the {thing} leave for {place}?", "Where is the {quality} {thing}?", "Who will {do} the {thing} on {day}?",
    "Why did {name} {do} it?", "How many {thing}s are there in {place}?",
    "I found {number} results; the first is {quality}.", "Please {do} the {thing}, then call {name}.",
    "Your {thing} will arrive in {place} on {day}, at half past {number}.", "We bought a {thing}, a {thing2}, and {number} {thing3}s.",
    "No, thank you, I would rather {do} the {quality} one.", "If the {thing} is {quality}, {do} it; otherwise, leave it.",
    "The total is {number} dollars and {number2} cents.", "Turn left at the {thing}, go straight, and look for the {quality} {thing2}.",
    "What a {quality} {thing}!", "Stop! Do not {do} the {thing}!", "Thank you very much, {name}!",
    "{name} said: the {thing} in {place} is too {quality}.", "Press {number} to {do} the {thing}.",
    "When the {quality} {thing} was {quality2}, {name} went to {place}, but nobody came.", "Yes, of course.", "One moment, please.",
    "I am sorry, I did not understand that.", "Is there anything else I can do for you?",
]


def everyday(count: int, draw: random.Random) -> list[str]:
    """`count` different sentences of daily talk, half of them questions."""
    made: dict[str, None] = {}
    while len(made) < count:
        things, qualities, numbers = draw.sample(_THINGS, 3), draw.sample(_QUALITIES, 2), draw.sample(_NUMBERS, 2)
        made[draw.choice(_TEMPLATES).format(
            name=draw.choice(_NAMES), place=draw.choice(_PLACES), day=draw.choice(_DAYS), do=draw.choice(_DOES), thing=things[0], thing2=things[1],
            thing3=things[2], quality=qualities[0], quality2=qualities[1], number=numbers[0], number2=numbers[1])] = None
    return list(made)


def read_lines(path: Path) -> list[tuple[str, str]]:
    """(id, normalized text) of every line of an LJSpeech table."""
    return [(row[0], row[2]) for row in (line.rstrip("\n").split("|") for line in path.open(encoding="utf-8"))]


def usable(text: str) -> bool:
    """Whether a text is a sentence or two of plain letters."""
    return 4 <= len(text.split()) <= 17 and re.fullmatch(r"[A-Za-z',;:.?! -]+", text) is not None


def training_texts(lines: list[tuple[str, str]], count: int, seed: str) -> list[str]:
    """`count` texts: two thirds LJSpeech lines whose id does not end in 0, one third everyday talk."""
    draw = random.Random(seed)
    pool = [text for key, text in lines if not key.endswith("0") and usable(text)]
    book = draw.sample(pool, count * 2 // 3)
    return book + everyday(count - len(book), draw)


def unseen_texts(lines: list[tuple[str, str]], clips: set[str], count: int) -> list[tuple[str, str]]:
    """`count` LJSpeech lines, evenly spread, whose id ends in 0 and which are not among the recorded clips."""
    pool = [(key, text) for key, text in lines if key.endswith("0") and key not in clips and usable(text)]
    return pool[:: max(1, len(pool) // count)][:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ljspeech", type=Path, required=True, help="folder with all-text.csv and metadata.csv")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", default="slt")
    options = parser.parse_args()
    for text in training_texts(read_lines(options.ljspeech / "all-text.csv"), options.count, options.seed):
        print(text)


if __name__ == "__main__":
    main()
