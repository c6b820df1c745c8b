import { describe, expect, it } from "vitest";
import { openAiChat } from "#protocol/compat/openai-chat";
import { mapOpenAiChat } from "./chat-request.js";

const minimal = {
  model: "service/s2-pro",
  modalities: ["text", "audio"],
  audio: { voice: "default", format: "wav" },
  messages: [{ role: "user", content: "Hello." }],
};
const map = (body: object) =>
  mapOpenAiChat({ ...minimal, ...body }, () => undefined, {
    PARLEY_MODEL_ALIASES: {},
    PARLEY_VOICE_ALIASES: {},
    PARLEY_COMPAT_PCM_RATE: 24_000,
  });
const audio = (data: string) => ({
  modalities: ["text"],
  model: "whisper-1",
  messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data, format: "wav" } }] }],
});

/** The request with one parameter set as a row names it. */
function withRow(name: string, value: unknown): object {
  const [outer = "", inner] = name.split(".");
  if (inner === undefined) return { [outer]: value };
  return { [outer]: { ...(outer === "audio" ? minimal.audio : {}), [inner]: value } };
}

describe("every row of OpenAI's chat table", () => {
  const of = (treatment: string) => openAiChat.parameters.filter((row) => row.treatment === treatment);

  // Without `audio` among them there is nothing to do: that row is the last test's.
  it.each(of("mapped").filter(({ name }) => name !== "modalities"))("$name changes what is done", ({
    name,
    example,
  }) => {
    expect(map(withRow(name, example))).not.toEqual(map({}));
  });

  it.each(of("ignored"))("$name changes nothing", ({ name, example }) => {
    expect(map(withRow(name, example))).toEqual(map({}));
  });

  it.each(of("refused"))("$name is refused unless it is unset or harmless", ({
    name,
    example,
    note,
    harmless = [],
  }) => {
    expect(() => map(withRow(name, example))).toThrow(`${name} is not supported: ${note}`);
    for (const value of [null, false, 0, ...harmless]) expect(map(withRow(name, value))).toEqual(map({}));
  });

  it("speaks or transcribes the last message of the user, and does nothing else", () => {
    const messages = [
      { role: "user", content: "Old." },
      { role: "assistant", content: "Answer." },
      {
        role: "user",
        content: [
          { type: "text", text: "New." },
          { type: "text", text: " Words." },
        ],
      },
    ];
    expect(map({ messages })).toMatchObject({
      kind: "speak",
      speech: { model: "s2-pro", request: { text: "New. Words.", format: "wav" } },
    });
    expect(map(audio("UklGRg=="))).toMatchObject({ kind: "transcribe", audio: Buffer.from("RIFF") });
    expect(() => map({ modalities: ["text"] })).toThrow("modalities is not supported");
    expect(() => map({ ...audio("UklGRg=="), modalities: ["audio"] })).toThrow("messages is not supported");
    expect(() => map({ ...audio("UklGRg=="), model: "service/s1" })).toThrow(
      expect.objectContaining({ code: "unknown_model" }),
    );
  });
});
