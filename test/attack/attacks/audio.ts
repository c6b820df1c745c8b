import { encode } from "@msgpack/msgpack";
import { flacBomb } from "#common/audio/testing/audio-bombs";
import type { Attack } from "../attack.js";
import { ask, authorized, repeatedly } from "../connection.js";

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
      ["/model", { headers, body: form([["type", "tts"], ["train_mode", "fast"], ["title", "a"], ["voices", file]]) }],
      ["/v1/tts", {
        headers: { ...headers, "content-type": "application/msgpack" },
        body: Uint8Array.from(encode({ text: "Hello.", references: [{ audio: bomb, text: "" }] })),
      }],
    ];
    await repeatedly(3, signal, async (lane) => {
      const [path, init] = bodies[lane] ?? ["/", {}];
      await ask(target, path, { method: "POST", ...init }, signal);
    });
  },
};
