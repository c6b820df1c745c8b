import { expect, it } from "vitest";
import { initialSettings, requestOf } from "./settings.js";
import { snippets } from "./snippets.js";

const body = requestOf({
  ...initialSettings,
  text: `It's "quoted" $HOME \\n\nnext line, 漢字 😀`,
  voice: "abc",
  format: "wav",
  speed: 1.25,
  volumeDb: -3,
  temperature: 0.9,
});
const request = { baseUrl: "http://127.0.0.1:8080", model: "s1", body } as const;

it("asks with what was chosen and nothing else", () => {
  expect(requestOf({ ...initialSettings, text: "Hi" })).toEqual({ text: "Hi", format: "mp3" });
  expect(body).toEqual({
    text: `It's "quoted" $HOME \\n\nnext line, 漢字 😀`,
    reference_id: "abc",
    format: "wav",
    prosody: { speed: 1.25, volume: -3 },
    temperature: 0.9,
  });
});

it("gives curl each argument as it is meant, also through a shell", () => {
  const lines = snippets.curl(request).split(" \\\n  ");
  expect([...lines.slice(0, 4), ...lines.slice(5)]).toEqual([
    "curl --fail-with-body 'http://127.0.0.1:8080/v1/tts'",
    '-H "Authorization: Bearer $PARLEY_API_KEY"',
    '-H "Content-Type: application/json"',
    '-H "model: s1"',
    "-o speech.wav",
  ]);
  // As a shell reads it: nothing ends a quoted word but a quote, and an escaped one stands between two words.
  const quoted = /^-d '(.*)'$/s.exec(lines[4] ?? "")?.[1] ?? "";
  expect(JSON.parse(quoted.replaceAll("'\\''", "'"))).toEqual(body);
  expect(quoted.replaceAll("'\\''", "")).not.toContain("'");
});

it("writes the body in TypeScript as an object of the language", () => {
  const text = snippets.typescript(request);
  const literal = text.slice(text.indexOf("JSON.stringify(") + 15, text.indexOf("),\n});"));
  expect(JSON.parse(literal)).toEqual(body);
  expect(text).toContain('model: "s1"');
  expect(text).toContain('writeFile("speech.wav"');
});

it("writes the body in Python as a dict of the language", () => {
  const text = snippets.python(request);
  const literal = text.slice(text.indexOf("json.dumps(") + 11, text.indexOf(").encode()"));
  expect(JSON.parse(literal)).toEqual(body);
  expect(literal).not.toMatch(/: (true|false|null)/);
  expect(text).toContain('open("speech.wav", "wb")');
});
