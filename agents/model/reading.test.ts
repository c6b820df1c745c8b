import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { howMany } from "#common/testing/how-many";
import { OutboundError } from "#common/outbound/outbound-error";
import { CompletionReader } from "./completion-reader.js";
import { EndpointFailure } from "./endpoint-failure.js";
import { dataEvents } from "./event-stream.js";
import { ReplyText } from "./reply-text.js";

/** The bytes in pieces, cut at these places. */
function* cut(bytes: Uint8Array, places: readonly number[]): Generator<Uint8Array> {
  let start = 0;
  for (const place of [...places, bytes.length].sort((a, b) => a - b)) {
    const end = Math.min(place, bytes.length);
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function* inTurns(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

const places = fc.array(fc.nat({ max: 400 }), { maxLength: 40 });

describe("dataEvents", () => {
  it("gives the same events however the stream is cut", async () => {
    const line = fc.oneof(
      fc.constantFrom(": comment", "event: thread.run", "id: 7", "retry: 1", "data", ""),
      fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => `data: ${text.replace(/[\r\n]/g, "")}`),
      fc.constant('data:{"a":1}'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 20 }),
        fc.constantFrom("\n", "\r\n"),
        places,
        async (lines, end, at) => {
          const bytes = Buffer.from([...lines, "", "data: [DONE]", "", "data: never", "", ""].join(end));
          const read = async (given: readonly number[]): Promise<string> => {
            const events: string[] = [];
            for await (const event of dataEvents(inTurns(cut(bytes, given))))
              events.push(Buffer.from(event).toString());
            return events.join("|");
          };
          const whole = await read([]);
          expect(await read(at)).toBe(whole);
          expect(whole).not.toMatch(/comment|thread|never|retry/);
          expect(whole.endsWith("\n\n")).toBe(true);
        },
      ),
    );
  });

  it("ends with an error of the guard's where there is no [DONE], whatever comes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), places, async (bytes, at) => {
        const read = async (): Promise<void> => {
          for await (const event of dataEvents(inTurns(cut(bytes, at)))) expect(event.length).toBeGreaterThan(0);
        };
        await expect(read()).rejects.toBeInstanceOf(OutboundError);
      }),
    );
  });
});

describe("ReplyText", () => {
  const read = (pieces: readonly string[]): string => {
    const text = new ReplyText();
    const said = pieces.map((piece) => text.push(piece));
    return said.join("") + text.end();
  };

  it("says the same however the text is cut, without thoughts", () => {
    const text = fc.array(fc.constantFrom("I think. ", "<", "think>", "<think>", "</think>", " ", "\n", "Yes! ", "ja"));
    fc.assert(
      fc.property(text, (pieces) => {
        const said = read(pieces);
        expect(read([...pieces.join("")])).toBe(said);
        const whole = pieces.join("");
        const hasThoughts = whole.trimStart().startsWith("<think>");
        if (!hasThoughts) expect(said).toBe(whole);
        else
          expect(said).toBe(whole.includes("</think>") ? whole.slice(whole.indexOf("</think>") + 8).trimStart() : "");
      }),
    );
  });

  it("is bounded, by sentences where there are some, and never parts a character", () => {
    const piece = fc.constantFrom("A sentence. ", "word ", "漢字。", "😀", "x".repeat(50), "\n");
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
        const given = Array.from({ length: 9000 }, (_, index) => pieces[index % pieces.length] ?? "");
        const said = read(given);
        expect(said.length).toBeLessThanOrEqual(8000);
        expect(given.join("").startsWith(said)).toBe(true);
        expect(said).not.toMatch(/\p{Surrogate}/u);
        if (given.join("").length > 8000) expect(said.length).toBeGreaterThan(6900);
        if (pieces.includes("A sentence. ")) expect(said).toMatch(/[.。\n]$/);
      }),
      { numRuns: howMany(50) },
    );
  });
});

describe("CompletionReader", () => {
  it("reads any JSON, or says that it cannot", () => {
    const call = fc.record(
      {
        index: fc.oneof(fc.nat({ max: 3 }), fc.constant(null)),
        id: fc.constantFrom("a", "b", "", null),
        function: fc.record({ name: fc.constantFrom("f", "", null), arguments: fc.constantFrom("{}", "", null) }),
      },
      { requiredKeys: [] },
    );
    const delta = fc.record(
      { content: fc.oneof(fc.string(), fc.jsonValue()), tool_calls: fc.array(call) },
      { requiredKeys: [] },
    );
    const chunk = fc.oneof(fc.jsonValue(), fc.record({ choices: fc.array(fc.record({ delta })) }));
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 10 }), (chunks) => {
        let ids = 0;
        const reader = new CompletionReader(["a"], () => `new${ids++}`);
        try {
          for (const one of chunks) reader.push(one);
        } catch (error) {
          expect(error).toBeInstanceOf(EndpointFailure);
        }
        const calls = reader.calls();
        expect(calls.length).toBeLessThanOrEqual(16);
        expect(new Set(["a", ...calls.map(({ callId }) => callId)]).size).toBe(calls.length + 1);
      }),
    );
  });
});
