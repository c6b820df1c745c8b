import { describe, expect, it } from "vitest";
import { readArguments } from "../tools/read-arguments.js";
import { CompletionReader } from "./completion-reader.js";
import { dataEvents } from "./event-stream.js";

/*
 * What endpoints send, byte for byte, and what is read of it: the text, or the error's first words.
 */

const says = (text: string): string => `data: {"choices":[{"delta":{"content":${JSON.stringify(text)}}}]}\n\n`;
const done = "data: [DONE]\n\n";
const unreadable = "failed: the endpoint sent what cannot be read";
const brokenOff = "failed: The connection was lost before the answer was complete";

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 1000) yield bytes.subarray(start, start + 1000);
}

/** Reads as the runtime does, the client library left out: each event is JSON, or cannot be read. */
async function read(stream: string | Uint8Array): Promise<string> {
  const reader = new CompletionReader([], () => "new");
  let text = "";
  try {
    for await (const event of dataEvents(piecesOf(typeof stream === "string" ? Buffer.from(stream) : stream))) {
      const data = Buffer.from(event)
        .toString()
        .replaceAll(/^data: /gm, "")
        .trim();
      if (data === "[DONE]") break;
      const { text: more, finishReason } = reader.push(parsed(data));
      text += more;
      if (finishReason !== null) break;
    }
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  }
  const calls = reader.calls().map(({ name, arguments: args }) => `${name}(${args})`);
  return [text, ...calls].join("|");
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined; // as the library, which throws
  }
}

const chunk = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (value: unknown, finish: unknown = null): string =>
  chunk({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
const call = (...calls: unknown[]): string => delta({ tool_calls: calls });
const fn = (name: unknown, args: unknown, more: object = {}): object => ({
  index: 0,
  id: "a",
  function: { name, arguments: args },
  ...more,
});

describe("a streamed answer", () => {
  it.each<[string, string | Uint8Array, string]>([
    // The stream.
    ["nothing", "", brokenOff],
    ["text without an end", says("Hi"), brokenOff],
    ["[DONE] without its blank line", `${says("Hi")}data: [DONE]`, brokenOff],
    ["[DONE] in small letters", `${says("Hi")}data: [done]\n\n`, unreadable],
    ["comments alone", ": ping\n\n: ping\n\n", brokenOff],
    ["an event that is no JSON", `data: hello\n\n${done}`, unreadable],
    ["HTML", "<html><body>502 Bad Gateway</body></html>", brokenOff],
    ["JSON without events", '{"choices":[{"message":{"content":"Hi"}}]}', brokenOff],
    ["half a JSON object", `data: {"choices":[{"delta":{"con\n\n${done}`, unreadable],
    ["lines ended by CR alone", says("Hi").replaceAll("\n", "\r") + done.replaceAll("\n", "\r"), brokenOff],
    ["a byte order mark", `\ufeff${says("Hi")}${done}`, "Hi"],
    ["data without a space", `${says("Hi").replace("data: ", "data:")}${done}`, "Hi"],
    ["two spaces behind data", `${says("Hi").replace("data: ", "data:  ")}${done}`, "Hi"],
    ["an unknown field of the event stream", `foo: bar\n${says("Hi")}${done}`, "Hi"],
    ["DATA in capitals", `${says("Hi").toUpperCase()}${done}`, ""],
    ["a line of a million characters", `data: ${"x".repeat(1_000_000)}`, "failed: The answer is too large"],
    ["lines without end of one event", "data: x\n".repeat(50_000), "failed: The answer is too large"],
    ["zeros", new Uint8Array(5000), brokenOff],
    [
      "no UTF-8",
      Buffer.concat([
        Buffer.from('data: {"choices":[{"delta":{"content":"'),
        Buffer.of(0xff),
        Buffer.from(`"}}]}\n\n${done}`),
      ]),
      "\ufffd",
    ],
    ["what follows [DONE]", `${says("Hi")}${done}${says("Ho")}`, "Hi"],
    // Chunks.
    ["null", `${chunk(null)}${done}`, unreadable],
    ["a number", `${chunk(7)}${done}`, unreadable],
    ["a list", `${chunk([])}${done}`, unreadable],
    ["a text", `${chunk("Hi")}${done}`, unreadable],
    ["choices that are an object", `${chunk({ choices: {} })}${done}`, unreadable],
    ["choices that are a text", `${chunk({ choices: "Hi" })}${done}`, unreadable],
    ["choices of null", `${chunk({ choices: [null] })}${done}`, unreadable],
    ["a delta that is a text", `${delta("Hi")}${done}`, unreadable],
    ["a delta of null", `${delta(null)}${says("Hi")}${done}`, "Hi"],
    ["content that is a number", `${delta({ content: 7 })}${done}`, unreadable],
    ["content that is an object", `${delta({ content: { text: "Hi" } })}${done}`, unreadable],
    [
      "content of strange parts",
      `${delta({ content: [7, null, { type: "text" }, { type: "text", text: "Hi" }] })}${done}`,
      "Hi",
    ],
    ["a finish reason that is a number", `${delta({}, 7)}${done}`, unreadable],
    ["an empty finish reason", `${delta({ content: "H" }, "")}${says("i")}${done}`, "Hi"],
    ["an unknown finish reason", `${delta({ content: "Hi" }, "because")}${says("Ho")}${done}`, "Hi"],
    ["an index that is a text", `${chunk({ choices: [{ index: "0", delta: {} }] })}${done}`, unreadable],
    [
      "the second choice alone",
      `${chunk({ choices: [{ index: 1, delta: { content: "Ho" } }] })}${says("Hi")}${done}`,
      "Hi",
    ],
    ["a message instead of a delta", `${chunk({ choices: [{ message: { content: "Hi" } }] })}${done}`, ""],
    // Calls.
    ["calls that are an object", `${delta({ tool_calls: {} })}${done}`, unreadable],
    ["a call of null", `${call(null)}${done}`, unreadable],
    ["a call without a function", `${call({ index: 0, id: "a" })}${done}`, "|()"],
    ["a name that is a number", `${call(fn(7, ""))}${done}`, unreadable],
    ["arguments that are an object", `${call(fn("f", { a: 1 }))}${done}`, '|f({"a":1})'],
    ["arguments that are a list", `${call(fn("f", [1]))}${done}`, unreadable],
    ["arguments that are a number", `${call(fn("f", 1))}${done}`, unreadable],
    ["arguments of null", `${call(fn("f", null))}${done}`, "|f()"],
    ["an index that is a fraction", `${call(fn("f", "{}", { index: 0.5 }))}${done}`, "|f({})"],
    ["a negative index", `${call(fn("f", "{}", { index: -1 }))}${done}`, "|f({})"],
    ["an id that is a number", `${call(fn("f", "{}", { id: 7 }))}${done}`, unreadable],
    [
      "parts of another call in between",
      `${call(fn("f", "{"))}${call(fn("g", "{}", { index: 1, id: "b" }))}${call({ index: 0, function: { arguments: "}" } })}${done}`,
      "|f({})|g({})",
    ],
    [
      "seventeen calls",
      `${call(...Array.from({ length: 17 }, (_, index) => fn("f", "{}", { index, id: `i${index}` })))}${done}`,
      "failed: the answer has too many tool calls",
    ],
    [
      "arguments of 100,001 characters",
      `${call(fn("f", "x".repeat(100_001)))}${done}`,
      "failed: the answer has a tool call that is too long",
    ],
  ])("of %s", async (_name, stream, expected) => {
    expect(await read(stream)).toBe(expected);
  });
});

describe("a call's arguments", () => {
  const noJson = "The arguments are not valid JSON";
  const noObject = "The arguments are not a JSON object";
  it.each<[string, unknown]>([
    ["", {}],
    [" \n", {}],
    ["null", {}],
    ["{}", {}],
    ['{"a":{"b":[1]}}', { a: { b: [1] } }],
    ['{"a":1,"a":2}', { a: 2 }],
    ["[]", noObject],
    ["7", noObject],
    ['"{}"', noObject],
    ["true", noObject],
    ["{", noJson],
    ["{}}", noJson],
    ["{a:1}", noJson],
    ["{'a':1}", noJson],
    ['{"a":1,}', noJson],
    ['{"a":NaN}', noJson],
    ["undefined", noJson],
    ['```json\n{"a":1}\n```', noJson],
    ['{"a":"\n"}', noJson],
    ["[".repeat(50_000), noJson],
    [`{"a":"${"x".repeat(100_000)}"}`, "The arguments are too long"],
  ])("%j", (json, expected) => {
    const read = readArguments(json);
    expect(read.ok ? read.args : read.message).toEqual(expected);
  });
});
