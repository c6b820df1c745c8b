import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { Chunker, type ChunkText } from "./chunker.js";
import type { Latency, Pace } from "./pace.js";

const defaultPace: Pace = { latency: "balanced", chunkLength: 200, minChunkLength: 0 };
const makeChunker = (pace: Partial<Pace> = {}): Chunker =>
  new Chunker({ pace: { ...defaultPace, ...pace }, freeTags: true });

function chunk(text: string, pace: Partial<Pace> = {}): ChunkText[] {
  const chunker = makeChunker(pace);
  return [...chunker.push(text), ...chunker.flush()];
}
const texts = (pieces: ChunkText[]): string[] => pieces.map((piece) => piece.text);
const squeeze = (text: string): string => text.replace(/\s+/g, "");

/** Whether a sentence end is seen between the two halves of a text that is long enough to be cut anywhere. */
function parts(before: string, after: string): boolean {
  const chunker = makeChunker({ latency: "normal" });
  return chunker.push(`${before} ${after} xx`).length > 0;
}

describe("sentence ends", () => {
  it("are seen after a full stop and a space, and at wide marks without one", () => {
    expect(texts(chunk("First one. Second one? Third one!"))).toEqual(["First one.", "Second one?", "Third one!"]);
    expect(texts(makeChunker().push("今日は晴れ。「明日は雨。」はい"))).toEqual(["今日は晴れ。", "「明日は雨。」"]);
    expect(texts(makeChunker().push("मैं ठीक हूँ। आप"))).toEqual(["मैं ठीक हूँ।"]);
  });

  it("are not seen in abbreviations, decimals, initials, list marks, addresses and file names", () => {
    for (const [before, after] of [
      ["Dr.", "Smith"],
      ["See e.g.", "Paris"],
      ["Mr. J.", "Doe"],
      ["No.", "5"],
      ["1.", "First"],
      ["It costs 3.14", "Euros"],
      ["at 5 p.m.", "today"],
      ["Visit https://example.com/a.b?c=d", "Now"],
      ["Mail me@example.com", "Now"],
      ["version 1.2.3", "Works"],
      ["Acme Inc.", "said"],
      ["Wait...", "what"],
      ['"Really?"', "he asked"],
      ["file.txt", "Is"],
      ["The U.S.", "government"],
    ] as const) {
      expect([before, parts(before, after)]).toEqual([before, false]);
    }
  });

  it("are seen after an abbreviation, ellipsis or quote that a capital follows", () => {
    for (const [before, after] of [
      ["apples, pears, etc.", "Then"],
      ["Wait...", "What"],
      ['"Really?"', "Then"],
      ["He said yes!", "then"],
      ["in 1999.", "The"],
    ] as const) {
      expect([before, parts(before, after)]).toEqual([before, true]);
    }
  });

  it("are seen at a blank line", () => {
    expect(texts(makeChunker({ latency: "normal" }).push("A heading\n\nThe text"))).toEqual(["A heading"]);
  });
});

describe("pieces", () => {
  const clauseText =
    "Well, as I was saying to you yesterday evening, there is something, in the end, that nobody ever told me about";

  it("come early at the first clause, the sooner the lower the latency", () => {
    const first = (latency: Latency): string | undefined => texts(makeChunker({ latency }).push(clauseText))[0];
    const after = (latency: Latency): number => {
      const chunker = makeChunker({ latency });
      return [...clauseText].findIndex((character) => chunker.push(character).length > 0);
    };
    expect(first("balanced")).toBe("Well, as I was saying to you yesterday evening,");
    expect(after("low")).toBeLessThanOrEqual(after("balanced"));
    expect(after("balanced")).toBeLessThan(after("normal"));
    expect(texts(makeChunker({ latency: "low" }).push("I know, and that is all"))[0]).toBe("I know,");
  });

  it("grow, and never beyond chunk_length", () => {
    const text = "Some words of a sentence go here, as they do. ".repeat(40);
    for (const chunkLength of [100, 200, 300]) {
      const lengths = chunk(text, { chunkLength, minChunkLength: 50 }).map((piece) => piece.text.length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(chunkLength);
      expect(lengths.slice(2, -1).every((length) => length >= 50)).toBe(true);
    }
  });

  it("join short sentences up to min_chunk_length, the first excepted", () => {
    expect(
      texts(chunk("Hi. No. Yes. I do. He does. We all do it again and again. Done.", { minChunkLength: 40 })),
    ).toEqual(["Hi.", "No. Yes. I do. He does. We all do it again and again.", "Done."]);
  });

  it("part a very long clause at a conjunction or a space, never inside a word", () => {
    const words = "wonderful ".repeat(14);
    const pieces = texts(chunk(`${words}and ${words}`, { latency: "normal", chunkLength: 200 }));
    expect(pieces[0]).toBe(words.trim());
    expect(pieces[1]?.startsWith("and wonderful")).toBe(true);
  });

  it("part an endless word by force, outside of surrogate pairs", () => {
    for (const piece of texts(chunk(`${"😀".repeat(50)}x${"😀".repeat(5000)}`))) {
      expect(() => encodeURIComponent(piece)).not.toThrow();
      expect(piece.length).toBeLessThanOrEqual(401);
    }
  });

  it("that hold nothing speakable join their neighbours or vanish", () => {
    expect(texts(chunk("... Hello. !!! ... World. ---"))).toEqual(["... Hello.", "!!! ... World."]);
    expect(chunk("?!... — \n\n … 😀 ()")).toEqual([]);
    expect(chunk("")).toEqual([]);
  });
});

describe("directions", () => {
  it("hold for one sentence", () => {
    const pieces = chunk("(happy) What a day! The sun is out. [whisper] Quiet now, please. Thanks.");
    expect(pieces.map((piece) => [piece.text, piece.delivery.style])).toEqual([
      ["What a day!", "happy"],
      ["The sun is out.", ""],
      ["Quiet now, please.", "whisper"],
      ["Thanks.", ""],
    ]);
  });

  it("part the text where speakers and manners change", () => {
    const pieces = chunk("<|speaker:0|>Hello there<|speaker:1|>Hi. How are you<|speaker:0|> I am (sad) fine");
    expect(pieces.map((piece) => [piece.speaker, piece.text, piece.delivery.style])).toEqual([
      [0, "Hello there", ""],
      [1, "Hi.", ""],
      [1, "How are you", ""],
      [0, "I am", ""],
      [0, "fine", "sad"],
    ]);
  });

  it("put pauses after the piece, or before the next when the piece is gone", () => {
    const chunker = makeChunker();
    expect(chunker.push("One.(break)")).toMatchObject([{ text: "One.", pauseAfterMs: 400 }]);
    expect(chunker.push("[pause](long-break) Two. Three")).toMatchObject([
      { text: "Two.", pauseBeforeMs: 1500, pauseAfterMs: 0 },
    ]);
  });
});

describe("incremental cutting", () => {
  const fragment = fc.constantFrom(
    "Hello",
    " world",
    ". ",
    ", ",
    "? ",
    "! ",
    "...",
    "Dr. ",
    "e.g. ",
    "3.14",
    "。",
    "、",
    "今日は",
    "(happy)",
    "[soft voice]",
    "<|speaker:1|>",
    "(break)",
    "https://a.b/c?d=e ",
    "\n",
    "\n\n",
    " and ",
    "because ",
    '"',
    "(",
    "]",
    "😀",
    "a very long clause without any mark in it that goes on ",
    "Z",
    " ",
    "–",
  );
  const script = fc.array(fc.oneof({ weight: 12, arbitrary: fragment }, { weight: 1, arbitrary: fc.constant(null) }), {
    maxLength: 80,
  });
  const paces = fc.record({
    latency: fc.constantFrom<Latency>("low", "balanced", "normal"),
    chunkLength: fc.integer({ min: 100, max: 300 }),
    minChunkLength: fc.integer({ min: 0, max: 100 }),
  });

  /** Runs of text between flushes. */
  function runs(items: (string | null)[]): string[] {
    const result = [""];
    for (const item of items) item === null ? result.push("") : result.push((result.pop() ?? "") + item);
    return result;
  }

  it("gives the same pieces however the text was split into events", () => {
    fc.assert(
      fc.property(script, paces, fc.integer({ min: 1, max: 7 }), (items, pace, size) => {
        const whole = makeChunker(pace);
        const split = makeChunker(pace);
        for (const run of runs(items)) {
          const expected = [...whole.push(run), ...whole.flush()];
          const pieces: ChunkText[] = [];
          for (let at = 0; at < run.length; at += size) pieces.push(...split.push(run.slice(at, at + size)));
          expect([...pieces, ...split.flush()]).toEqual(expected);
        }
      }),
      { numRuns: howMany(400) },
    );
  });

  it("loses no speakable character and never exceeds the limit", () => {
    const plain = fc.array(
      fc.constantFrom(
        "Hello",
        " world",
        ". ",
        ", ",
        "? ",
        "...",
        "Dr. ",
        "3.14",
        "。",
        "今日は",
        " and ",
        "\n\n",
        '"',
        "x".repeat(90),
        " ",
      ),
      { maxLength: 120 },
    );
    fc.assert(
      fc.property(plain, paces, (items, pace) => {
        const text = items.join("");
        const pieces = texts(chunk(text, pace));
        const letters = (value: string): string => squeeze(value).replace(/[^\p{L}\p{N}]/gu, "");
        expect(letters(pieces.join(""))).toBe(letters(text));
        for (const piece of pieces) {
          expect(piece).toBe(piece.trim());
          expect(piece.length).toBeLessThanOrEqual(pace.chunkLength * 2);
        }
      }),
      { numRuns: howMany(400) },
    );
  });

  it("releases a finished sentence when text stops arriving, and nothing unfinished", () => {
    const chunker = makeChunker();
    expect(chunker.push("That is all.")).toEqual([]);
    expect(texts(chunker.releaseFinished())).toEqual(["That is all."]);
    expect(chunker.push(" Ask Dr.")).toEqual([]);
    expect(chunker.releaseFinished()).toEqual([]);
    expect(chunker.push(" Who, if")).toEqual([]);
    expect(chunker.releaseFinished()).toEqual([]);
    expect(texts(chunker.flush())).toEqual(["Ask Dr. Who, if"]);
  });

  it("releases held text up to its best place, where it is long enough and not the first of the text", () => {
    const chunker = makeChunker({ minChunkLength: 50 });
    const held = "After that it went on and on, for a long ti";
    expect(chunker.push("As a first piece it has sixty characters and is not released")).toEqual([]);
    expect(chunker.releaseHeld()).toEqual([]);
    chunker.flush();
    expect(texts(chunker.push(`It began. ${held}`))).toEqual(["It began."]);
    expect(chunker.releaseHeld()).toEqual([]);
    chunker.push("me indeed, wit");
    expect(texts(chunker.releaseHeld())).toEqual(["After that it went on and on, for a long time indeed,"]);
    expect(chunker.releaseHeld()).toEqual([]);
    chunker.push("h not a comma in it any more, it seem");
    expect(chunker.releaseHeld()).toEqual([]);
    expect(texts(chunker.flush())).toEqual(["with not a comma in it any more, it seem"]);
  });

  it("ends no piece with a short word that belongs to the next one, where it is cut between words", () => {
    const chunker = makeChunker({ latency: "low" });
    const text = "His work during those four years was always the object of his friends' concern";
    expect(texts(chunker.push(text))).toEqual(["His work during those four years was always"]);
    chunker.push(" for the");
    expect(texts(chunker.releaseHeld())).toEqual(["the object of his friends' concern"]);
    expect(texts(chunker.flush())).toEqual(["for the"]);
    // Words that are all short are cut where they are.
    expect(texts(makeChunker({ latency: "low" }).push("no go ".repeat(9)))).toEqual([`${"no go ".repeat(8)}no`]);
  });

  it("releases nothing that is held where nobody waits", () => {
    const chunker = makeChunker({ latency: "normal" });
    chunker.push("It began like any other day in the week. After that it went on and on for a long time");
    expect(chunker.releaseHeld()).toEqual([]);
  });

  it("cuts anything in linear time", () => {
    // Processor time, not time: other work on the machine must not count.
    const costMicros = (unit: string, characters: number): number => {
      const chunker = makeChunker();
      const before = process.cpuUsage();
      chunker.push(unit.repeat(characters / unit.length));
      chunker.flush();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const few = howMany(24_000);
    for (const unit of [
      "a",
      "a ",
      ". ",
      ".",
      ", ",
      "\n",
      " ",
      "a. ",
      "1",
      "(",
      "[x]",
      "今",
      "a.\n\n",
      "é\u0301",
      "A.B. ",
    ]) {
      costMicros(unit, few);
      const growth = costMicros(unit, 10 * few) / Math.max(5000, costMicros(unit, few));
      expect([unit, growth < 40]).toEqual([unit, true]);
    }
  });
});

describe("text whose speech is asked for", () => {
  const low: Partial<Pace> = { latency: "low", minChunkLength: 50 };

  /** Pieces of words that come one by one, each followed by a trigger. */
  function wordByWord(words: readonly string[], chunker = makeChunker(low)): string[] {
    return texts([...words.flatMap((word) => [...chunker.push(word), ...chunker.trigger()]), ...chunker.flush()]);
  }

  it("is spoken by phrases although it is asked for after each word", () => {
    const text =
      "Good evening, dear listeners, and welcome. Tonight we speak about the long way of a letter that nobody in this town ever sent. Or was it two?";
    expect(wordByWord(text.split(/(?<= )/))).toEqual([
      "Good evening,",
      "dear listeners,",
      "and welcome.",
      "Tonight we speak about the long way of a letter",
      "that nobody in this town ever sent.",
      "Or was it two?",
    ]);
  });

  it("is cut as a first piece is, again and again, whatever its words", () => {
    const word = fc.constantFrom(
      "I ",
      "we ",
      "know ",
      "evening ",
      "and ",
      "because ",
      "dear, ",
      "all. ",
      "Dr. ",
      "two? ",
      "3.14 ",
      "well: ",
      "extraordinarily ",
      "… ",
      "今日は。",
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (words) => {
        const expected: string[] = [];
        let rest = words.join("");
        while (rest !== "") {
          const [first] = makeChunker(low).push(rest);
          const spoken = first?.text ?? texts(chunk(rest, low))[0];
          if (spoken === undefined) break;
          expected.push(spoken);
          rest = rest.slice(rest.indexOf(spoken) + spoken.length);
        }
        expect(wordByWord(words)).toEqual(expected);
      }),
      { numRuns: howMany(500) },
    );
  });

  it("is cut in the same way whether it comes by words or by characters", () => {
    const text =
      "Well then, as I said, nobody at all has ever seen the old mill by the river since then. Have you? I have not. ";
    expect(wordByWord([...text])).toEqual(wordByWord(text.split(/(?<= )/)));
  });

  it("includes phrases that ended before", () => {
    const chunker = makeChunker(low);
    expect(texts(chunker.push("First we say this. "))).toEqual(["First we say this."]);
    expect(chunker.push("Short one. And then")).toEqual([]);
    expect(texts(chunker.trigger())).toEqual(["Short one."]);
    expect(chunker.isTriggered).toBe(true);
    expect(texts(chunker.push(" that, which"))).toEqual(["And then that,"]);
    // What came after the trigger was not asked for.
    expect(chunker.isTriggered).toBe(false);
    expect(chunker.push(" came. Later, too. ")).toEqual([]);
  });

  it("is nothing where nothing is held, or nothing that can be spoken", () => {
    const chunker = makeChunker(low);
    for (const text of ["", " ", "... "]) {
      expect(chunker.push(text)).toEqual([]);
      expect(chunker.trigger()).toEqual([]);
      expect(chunker.isTriggered).toBe(false);
    }
  });

  it("is asked for no more once it is flushed", () => {
    const chunker = makeChunker(low);
    expect([...chunker.push("Not yet"), ...chunker.trigger()]).toEqual([]);
    expect(texts(chunker.flush())).toEqual(["Not yet"]);
    expect(chunker.isTriggered).toBe(false);
  });
});
