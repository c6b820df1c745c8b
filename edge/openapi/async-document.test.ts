import { createRequire } from "node:module";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { encodeAgentEvent } from "#protocol/agents/events";
import { buildAsyncApi } from "./async-document.js";

const require = createRequire(import.meta.url);
const specification = require("@asyncapi/specs/schemas/3.0.0-without-$id.json") as object;

interface Described {
  channels: Record<string, { address: string | null; messages: Record<string, { $ref: string }> }>;
  operations: Record<string, { action: string; channel: { $ref: string }; messages: { $ref: string }[] }>;
  components: { messages: Record<string, { payload: object }> };
}
const document = buildAsyncApi() as unknown as Described;
const checkOf = (key: string) =>
  new Ajv2020({ strict: false }).compile(document.components.messages[key]?.payload ?? { not: {} });

describe("the AsyncAPI document", () => {
  it("is one by the schema of AsyncAPI 3.0", () => {
    // Of the formats, the specification's schema needs none to tell right from wrong here.
    const check = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(specification);
    check(document);
    expect(check.errors ?? []).toEqual([]);
    expect(check({ ...document, channels: [] })).toBe(false);
  });

  it("has every socket, the events of calls, and webhooks", () => {
    expect(Object.values(document.channels).map(({ address }) => address)).toEqual([
      "/v1/tts/live",
      "/compat/v1/realtime",
      "/compat/elevenlabs/v1/text-to-speech/{voice_id}/stream-input",
      "/compat/elevenlabs/v1/text-to-speech/{voice_id}/multi-stream-input",
      "/compat/elevenlabs/v1/speech-to-text/realtime",
      null,
      null,
    ]);
    expect(Object.keys(document.channels["webhooks"]!.messages)).toEqual([
      "webhooks.from.phone_call.dial_finished",
      "webhooks.from.call.ended",
      "webhooks.from.call.analyzed",
    ]);
  });

  it("has messages both ways on every socket", () => {
    const sockets = Object.entries(document.channels).filter(([, { address }]) => address !== null);
    for (const [id, { messages }] of sockets)
      for (const way of ["to", "from"])
        expect(Object.keys(messages), id).toContainEqual(expect.stringMatching(`^${id}\\.${way}\\.`));
  });

  it("leads nowhere that is not there", () => {
    for (const { messages } of Object.values(document.channels))
      for (const [key, { $ref }] of Object.entries(messages)) {
        expect($ref).toBe(`#/components/messages/${key}`);
        expect(document.components.messages[key]).toBeDefined();
      }
    for (const { channel, messages } of Object.values(document.operations))
      for (const { $ref } of messages) {
        const [, id = ""] = /^#\/channels\/(\w+)$/.exec(channel.$ref) ?? [];
        expect(document.channels[id]?.messages[$ref.slice(`#/channels/${id}/messages/`.length)]).toBeDefined();
      }
  });

  it("describes messages as they are sent", () => {
    const started = checkOf("room.from.tool.started");
    const call = { callId: "c1", toolName: "weather", toolSource: "webhook", nodeId: "" } as const;
    const packet = encodeAgentEvent({ type: "tool.started", input: "{}", ...call });
    expect(started(JSON.parse(new TextDecoder().decode(packet)))).toBe(true);
    expect(started({ type: "tool.started", ...call })).toBe(false);
    const start = checkOf("liveSpeech.to.start");
    expect(start({ event: "start", request: { text: "", format: "pcm" } })).toBe(true);
    expect(start({ event: "start", request: { text: "", format: "aiff" } })).toBe(false);
    const finish = checkOf("liveSpeech.from.finish");
    expect([finish({ event: "finish", reason: "stop" }), finish({ event: "finish", reason: "error" })]).toEqual([
      true,
      false,
    ]);
  });
});
