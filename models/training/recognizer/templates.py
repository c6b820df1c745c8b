"""Everyday sentences from templates of our own: what people say to assistants, in shops, on the phone and to each other.

Other text in the language model is books and encyclopaedic sentences, where "set a timer for ten minutes" never occurs.
The sentences belong to the project; run this file to see a hundred of them.
"""

import random

ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth "
    "twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()


def spoken(number: int) -> str:
    """0 to 999,999 in words, American style."""
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10 - 2] + ("" if number % 10 == 0 else " " + ONES[number % 10])
    if number < 1000:
        return ONES[number // 100] + " hundred" + ("" if number % 100 == 0 else " " + spoken(number % 100))
    return spoken(number // 1000) + " thousand" + ("" if number % 1000 == 0 else " " + spoken(number % 1000))


def year(rng: random.Random) -> str:
    value = rng.randint(1840, 2030)
    if 2000 <= value < 2010:
        return "two thousand" + ("" if value == 2000 else " " + ONES[value - 2000])
    rest = value % 100
    return spoken(value // 100) + " " + ("hundred" if rest == 0 else "oh " + ONES[rest] if rest < 10 else spoken(rest))


def digits(rng: random.Random) -> str:
    return " ".join(rng.choice(["oh", *ONES[1:10]] if rng.random() < 0.3 else ONES[:10]) for _ in range(rng.randint(3, 8)))


def clock(rng: random.Random) -> str:
    hour, minute = ONES[rng.randint(1, 12)], rng.choice([0, 0, 15, 20, 30, 30, 40, 45, 50, rng.randint(1, 59)])
    exact = hour if minute == 0 else f"{hour} {'oh ' if minute < 10 else ''}{spoken(minute)}"
    return exact + rng.choice(["", "", " o'clock" if minute == 0 else "", " a.m.", " p.m.", " in the morning", " in the evening", " tonight"])


SLOTS = {
    "name": "John Mary Michael Sarah David Anna Peter Laura James Emma Robert Linda William Susan Thomas Karen Daniel Nancy Paul Lisa Mark Betty "
    "George Helen Steven Sandra Kevin Donna Brian Carol Edward Ruth Jason Sharon Maria Jack Alice Henry Kate Sam Tom Ben Lucy Olivia".split(),
    "city": "London, Paris, New York, Boston, Chicago, Berlin, Madrid, Rome, Tokyo, Sydney, Toronto, Seattle, Denver, Dublin, Atlanta, Dallas, "
    "San Francisco, Los Angeles, Washington, Manchester, Edinburgh, Vienna, Amsterdam, Philadelphia, Houston, Miami, Pittsburgh".split(", "),
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday today tomorrow tonight".split(),
    "month": "January February March April May June July August September October November December".split(),
    "room": "kitchen, living room, bedroom, bathroom, office, hallway, garage, garden, dining room, basement, hall, nursery".split(", "),
    "device": "lights, light, lamp, fan, heating, television, radio, music, air conditioning, alarm, oven, coffee machine, speaker, heater".split(", "),
    "color": "red green blue white yellow orange purple pink black brown gray warm bright".split(),
    "food": "pizza, soup, chicken, fish, rice, bread, salad, pasta, a sandwich, an apple, eggs, cheese, milk, butter, potatoes, tomatoes, sugar, salt, "
    "bananas, orange juice, a bottle of water, ice cream, a cup of tea, breakfast, lunch, dinner, cake, onions, flour, honey".split(", "),
    "drink": "coffee, tea, espresso, cappuccino, latte, mocha, americano, hot chocolate, drip coffee, iced tea, orange juice, lemonade, water".split(", "),
    "size": "small medium large regular tall extra-large little big".split(),
    "thing": "book, phone, car, house, ticket, key, letter, computer, picture, table, chair, window, door, bag, camera, watch, coat, bicycle, battery, "
    "package, order, account, password, card, bill, receipt, invoice, meeting, appointment, flight, room, message, report, file".split(", "),
    "place": "station, airport, hotel, hospital, bank, school, library, museum, park, supermarket, restaurant, pharmacy, office, beach, church, "
    "post office, bus stop, theater, market, bridge, university, police station, gas station, river".split(", "),
    "weather": "sunny rainy cloudy windy cold warm hot snowy foggy dry wet stormy".split(),
    "activity": "call my mother, buy groceries, take out the trash, water the plants, feed the cat, walk the dog, pay the rent, book a table, "
    "pick up the children, go to the gym, send the email, charge the phone, clean the kitchen, finish the report, see the doctor, "
    "wash the car, visit my grandmother, write a letter, read the newspaper, study for the exam, make dinner, fix the roof".split(", "),
    "verb": "open close start stop find show send save delete print read write move copy check change cancel repeat explain remember".split(),
    "feeling": "happy tired hungry sick fine sorry afraid angry busy late ready sure surprised cold lost bored excited proud thirsty".split(),
    "person": "my brother, my sister, my father, my mother, my wife, my husband, my friend, my boss, our neighbor, the doctor, the teacher, the children, "
    "the manager, a stranger, my son, my daughter, his uncle, her aunt, the driver, the waiter, the police, the students".split(", "),
    "music": "jazz, rock, classical music, some music, the news, a podcast, the next song, my playlist, a lullaby, the radio, blues, country".split(", "),
    "adjective": "good bad big small old new long short early late easy hard cheap expensive nice strange beautiful important possible different quiet".split(),
    "unit": "minutes hours seconds days weeks months years miles kilometers meters feet pounds kilos degrees dollars percent".split(),
    "language": "English French German Spanish Italian Chinese Japanese Russian Portuguese Arabic Dutch Polish".split(),
    "letter": list("abcdefghijklmnopqrstuvwxyz"),
}

PATTERNS = """
set a timer for {n} minutes|set an alarm for {clock}|wake me up at {clock}|remind me to {activity} at {clock}|remind me to {activity} on {day}
what time is it in {city}|what's the weather like in {city}|will it be {weather} on {day}|is it going to rain {day}|how {weather} is it outside
turn on the {device}|turn off the {device}|turn the {device} off in the {room}|switch on the {device} in the {room}|turn up the volume|turn it down
make the lights in the {room} {color}|set the {room} to {n} degrees|dim the lights to {n} percent|please turn off all the lights
play {music}|play some {music} in the {room}|stop the music|pause|next song please|skip this one|turn the volume up to {digit}
call {name}|call {name} on the mobile phone|send a message to {name}|text {name} that i am running {digit} minutes late|read my messages
how far is it to {city}|how do i get to the {place}|where is the nearest {place}|is the {place} open on {day}|what time does the {place} close
i would like a {size} {drink}|can i have a {size} {drink} with milk|i'd like {food} and {food} please|could i get {food} to go
make me a {size} {drink}|{digit} {size} {drink}s please|i want a {drink} with {food}|no sugar please|that will be {n} dollars and {n} cents
the number is {digits}|my phone number is {digits}|my account number is {digits}|the code is {letter} {letter} {digits}|that's {letter} as in {name}
my name is {name}|this is {name} speaking|my birthday is {month} {ordinal}|i was born on {month} {ordinal} {year}|it happened in {year}
the meeting is on {day} at {clock}|let's meet at the {place} at {clock}|we are leaving on {month} {ordinal}|see you {day}|i'll be there at {clock}
can you {verb} the {thing} for me|please {verb} the {thing}|could you {verb} that again|i can't {verb} my {thing}|how do i {verb} the {thing}
i want to {verb} this {thing}|why can't i {verb} it|where did you put the {thing}|i lost my {thing} on the way to the {place}|have you seen my {thing}
i am {feeling}|are you {feeling}|i'm not {feeling}|we were very {feeling}|{person} was {feeling} yesterday|don't be {feeling}|why are you so {feeling}
{person} is at the {place}|{person} went to {city} last {day}|{person} told me to {activity}|i have to {activity}|did you {activity}|i forgot to {activity}
what is the capital of {city}|who wrote this {thing}|how do you say {thing} in {language}|do you speak {language}|i am learning {language}
what is {n} plus {n}|what is {n} times {digit}|{n} minus {n} is {n}|{n} percent of {big}|it costs {n} dollars|the price is {big} dollars
it is about {big} {unit} long|it took {n} {unit}|it weighs {n} pounds|the temperature is {n} degrees|about {n} {unit} ago|in {digit} {unit}
yes please|no thank you|thank you very much|you're welcome|good morning|good night|how are you today|i don't know|what did you say|excuse me
i don't understand|could you speak more slowly please|what does that mean|that is a {adjective} {thing}|it was a {adjective} day|this is too {adjective}
there is a {adjective} {place} near here|is there a {place} in {city}|how much is the {thing}|do you have a {adjective} {thing}|i need a new {thing}
i'd like to book a flight to {city} on {month} {ordinal}|a table for {digit} at {clock} please|a room for {digit} nights|one ticket to {city} please
i have a problem with my {thing}|my {thing} does not work|my {thing} hasn't arrived|i want to cancel my {thing}|can i speak to a manager
your {thing} will arrive on {day}|your {thing} is ready|we are sorry for the delay|please hold the line|thank you for calling|how can i help you
go|stop|yes|no|up|down|left|right|on|off|help|repeat|start|erase {letter}|enter {n}|rubout {letter}|go back|never mind|cancel|{digits}|{letter} {letter} {letter}
chapter {n}|section {n}|page {n}|volume {digit}|room {n}|platform {digit}|gate {letter} {n}|flight {digits} to {city}|{ordinal} street|the {ordinal} of {month}
""".replace("\n", "|").strip("|").split("|")

OPENINGS = ["hey ", "please ", "okay ", "well ", "so ", "and ", "um ", "can you ", "i think "]


def sentence(rng: random.Random) -> str:
    """One sentence in lower case without punctuation, except for names as spelled."""
    made = {
        "n": lambda: spoken(rng.randint(1, 99)),
        "digit": lambda: ONES[rng.randint(1, 9)],
        "digits": lambda: digits(rng),
        "big": lambda: spoken(rng.choice([100, 200, 500, 1000, 2000, 5000, 10_000, rng.randint(100, 9999), rng.randint(100, 300_000)])),
        "clock": lambda: clock(rng),
        "year": lambda: year(rng),
        "ordinal": lambda: rng.choice(ORDINALS),
    }
    text = rng.choice(PATTERNS)
    while "{" in text:
        start, end = text.index("{"), text.index("}")
        slot = text[start + 1 : end]
        text = text[:start] + (made[slot]() if slot in made else rng.choice(SLOTS[slot])) + text[end + 1 :]
    return (rng.choice(OPENINGS) if rng.random() < 0.06 else "") + text


def sentences(count: int, seed: int = 1) -> list[str]:
    """`count` different sentences, always the same for one seed."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found[sentence(rng)] = None
    return list(found)


if __name__ == "__main__":
    print("\n".join(sentences(100)))
