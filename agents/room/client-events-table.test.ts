import { describe, expect, it } from "vitest";
import { clientEventLimits } from "#protocol/agents/room-topics";
import { VirtualClock } from "#common/clock";
import { ClientEventGate } from "./client-events.js";

/*
 * Packets as strangers send them, byte for byte, and what each is taken for: an event, or nothing (null).
 */

const { messageCharacters, packetBytes } = clientEventLimits;
const judge = (packet: Uint8Array, topic = "client-event"): unknown => {
  const verdict = new ClientEventGate(new VirtualClock()).judge(topic, packet);
  return verdict.type === "event" ? verdict.event : null;
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const message = (text: string, isTextOnly = false) => ({ type: "user.message", text, isTextOnly });
const result = (value: unknown, isError = false) => ({
  type: "client_tool.result",
  callId: "c",
  result: value,
  isError,
});
const long = (length: number): string => "x".repeat(length);

const json: [packet: string, event: unknown][] = [
  // Messages.
  ['{"type":"user.message","text":"Hi"}', message("Hi")],
  ['{"type":"user.message","text":" Hi\\n"}', message("Hi")],
  ['{"type":"user.message","text":"Hi","audio":true}', message("Hi")],
  ['{"type":"user.message","text":"Hi","audio":false}', message("Hi", true)],
  ['{"type":"user.message","text":"Hi","audio":null}', null],
  ['{"type":"user.message","text":"Hi","audio":"false"}', null],
  ['{"type":"user.message","text":"Hi","audio":0}', null],
  ['{"type":"user.message","text":"Hi","isTextOnly":true}', message("Hi")],
  ['{"type":"user.message","text":"Hi","role":"system"}', message("Hi")],
  ['{"type":"user.message","text":"Hi","text":"Ho"}', message("Ho")],
  ['{"type":"user.message","text":"\\u0041"}', message("A")],
  ['{"type":"user.message","text":"🙂"}', message("🙂")],
  ['{"type":"user.message","text":"\\ud83d\\ude42"}', message("🙂")],
  ['{"type":"user.message","text":"\\u202eabc"}', message("\u202eabc")],
  [`{"type":"user.message","text":"${long(messageCharacters)}"}`, message(long(messageCharacters))],
  [`{"type":"user.message","text":"${long(messageCharacters + 1)}"}`, null],
  [`{"type":"user.message","text":"${"🙂".repeat(messageCharacters)}"}`, message("🙂".repeat(messageCharacters))],
  [`{"type":"user.message","text":"${"🙂".repeat(messageCharacters)}x"}`, null],
  [`{"type":"user.message","text":"  ${long(messageCharacters)}  "}`, message(long(messageCharacters))],
  ['{"type":"user.message","text":""}', null],
  ['{"type":"user.message","text":"\\u00a0\\u2003"}', null],
  ['{"type":"user.message","text":null}', null],
  ['{"type":"user.message","text":["Hi"]}', null],
  ['{"type":"user.message","text":{"a":"Hi"}}', null],
  ['{"type":"user.message","text":true}', null],
  ['{"type":"user.message","Text":"Hi"}', null],
  ['{"type":"user.message"}', null],
  // Signs.
  ['{"type":"user.activity"}', { type: "user.activity" }],
  ['{"type":"user.activity","at":1}', { type: "user.activity" }],
  ['{"type":"user.interrupt","text":7}', { type: "user.interrupt" }],
  ['{"type":"user.hangup","reason":{}}', { type: "user.hangup" }],
  ['{"type":"user.hang_up"}', null],
  ['{"type":"USER.HANGUP"}', null],
  ['{"type":" user.hangup"}', null],
  ['{"type":["user.hangup"]}', null],
  ['{"type":{"user":"hangup"}}', null],
  ['{"type":null}', null],
  ['{"type":0}', null],
  ['{"type":""}', null],
  ['{"type":"constructor"}', null],
  ['{"type":"toString"}', null],
  ['{"event":"user.hangup"}', null],
  ['{"__proto__":{"type":"user.hangup"}}', null],
  // What only the agent says.
  ['{"type":"client_tool.call","callId":"c","toolName":"t","params":{},"expectsResponse":true}', null],
  ['{"type":"tool.started","callId":"c"}', null],
  ['{"type":"session.ended","reason":"user_hangup"}', null],
  ['{"type":"error","code":"internal_error"}', null],
  // Results.
  ['{"type":"client_tool.result","callId":"c"}', result(undefined)],
  ['{"type":"client_tool.result","callId":"c","result":null}', result(null)],
  ['{"type":"client_tool.result","callId":"c","result":[1,{"a":"b"}]}', result([1, { a: "b" }])],
  ['{"type":"client_tool.result","callId":"c","result":"x","isError":true}', result("x", true)],
  ['{"type":"client_tool.result","callId":"c","isError":null}', null],
  ['{"type":"client_tool.result","callId":"c","isError":1}', null],
  ['{"type":"client_tool.result","callId":"c","is_error":true,"error":"x"}', result(undefined)],
  ['{"type":"client_tool.result","call_id":"c","result":1}', null],
  ['{"type":"client_tool.result","callId":7,"result":1}', null],
  ['{"type":"client_tool.result","callId":null,"result":1}', null],
  ['{"type":"client_tool.result","callId":"","result":1}', null],
  [`{"type":"client_tool.result","callId":"${long(128)}"}`, { ...result(undefined), callId: long(128) }],
  [`{"type":"client_tool.result","callId":"${long(129)}"}`, null],
  // No objects, and no JSON.
  ["null", null],
  ["7", null],
  ["[]", null],
  ['[{"type":"user.hangup"}]', null],
  ['"user.hangup"', null],
  ["", null],
  ["user.hangup", null],
  ["{", null],
  ['{"type":"user.hangup"', null],
  ['{"type":"user.hangup"}}', null],
  ['{"type":"user.hangup"}\n{"type":"user.hangup"}', null],
  ["{'type':'user.hangup'}", null],
  ['{"type":"user.hangup",}', null],
  ['\ufeff{"type":"user.hangup"}', { type: "user.hangup" }],
  [' {"type" : "user.hangup" }\r\n', { type: "user.hangup" }],
  [`${"[".repeat(60_000)}`, null],
  [`{"type":"user.hangup","x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, { type: "user.hangup" }],
];

describe("a packet of text", () => {
  it.each(
    json.map(([packet, event], index) => ({ index, shown: packet.slice(0, 70), packet, event })),
  )("$index: $shown", ({ packet, event }) => expect(judge(bytes(packet))).toEqual(event));
});

describe("a packet of bytes", () => {
  const padded = (size: number): Uint8Array => {
    const text = '{"type":"user.hangup","x":""}';
    return bytes(text.replace('""', `"${long(size - text.length)}"`));
  };
  it.each<[string, Uint8Array, string, unknown]>([
    ["of the largest size", padded(packetBytes), "client-event", { type: "user.hangup" }],
    ["of one byte more", padded(packetBytes + 1), "client-event", null],
    ["of 10 MB", padded(10_000_000), "client-event", null],
    ["of no bytes", new Uint8Array(0), "client-event", null],
    ["of zeros", new Uint8Array(100), "client-event", null],
    ["in UTF-16", Buffer.from('{"type":"user.hangup"}', "utf16le"), "client-event", null],
    ["in Latin-1", Buffer.from('{"type":"user.message","text":"\xe9"}', "latin1"), "client-event", null],
    [
      "with a lone continuation",
      Buffer.concat([bytes('{"type":"user.message","text":"'), Uint8Array.of(0x80), bytes('"}')]),
      "client-event",
      null,
    ],
    [
      "with a surrogate in UTF-8",
      Buffer.concat([bytes('{"type":"user.message","text":"'), Uint8Array.of(0xed, 0xa0, 0x80), bytes('"}')]),
      "client-event",
      null,
    ],
    ["of MessagePack", Uint8Array.of(0x81, 0xa4, 0x74, 0x79, 0x70, 0x65, 0xa1, 0x78), "client-event", null],
    ["of the agent's topic", bytes('{"type":"user.hangup"}'), "agent-event", null],
    ["of no topic", bytes('{"type":"user.hangup"}'), "", null],
    ["of a topic in capitals", bytes('{"type":"user.hangup"}'), "Client-Event", null],
    ["of LiveKit's chat", bytes('{"id":"1","message":"Hi"}'), "lk-chat-topic", null],
  ])("%s", (_name, packet, topic, event) => expect(judge(packet, topic)).toEqual(event));
});
