import { describe, expect, it } from "vitest";
import { openEventReader } from "./livekit-events.js";
import { type EventClaims, eventClaims, eventToken } from "./testing/event-token.js";

const access = { url: "ws://livekit", apiKey: "key", apiSecret: "secret-secret-secret-secret-secret" };
const room = "phone-00000000000000000000000000000000-1";
const body = JSON.stringify({ event: "participant_joined", room: { name: room }, participant: { identity: "sip_1" } });
const now = Math.floor(Date.now() / 1000);
const read = openEventReader(access);

const tokenOf = (change: EventClaims = {}, secret = access.apiSecret, sent = body): string =>
  eventToken({ ...eventClaims(access.apiKey, sent, Date.now()), ...change }, secret);

describe("a message to LiveKit's webhook", () => {
  it("is read where the server signed it, and again where it is sent again", async () => {
    const token = tokenOf();
    const event = { name: "participant_joined", room };
    expect([await read(body, token), await read(body, token)]).toEqual([event, event]);
  });

  it("that is about no room is read, too", async () => {
    const sent = JSON.stringify({ event: "egress_started", surprise: [1] });
    expect(await read(sent, tokenOf({}, access.apiSecret, sent))).toEqual({ name: "egress_started", room: "" });
  });

  it.each<[string, string]>([
    ["without a token", ""],
    ["with something else", "signed"],
    ["with a bearer", `Bearer ${tokenOf()}`],
    ["with three dots", "..."],
    ["of another key", tokenOf({ iss: "other" })],
    ["of nobody", eventToken({ exp: now + 300 }, access.apiSecret)],
    ["signed with another secret", tokenOf({}, "other-other-other-other-other-other")],
    ["signed with nothing", tokenOf({}, "")],
    ["that says it needs no signature", eventToken(eventClaims(access.apiKey, body, Date.now()), "", "none")],
    ["of an hour ago", eventToken(eventClaims(access.apiKey, body, Date.now() - 3_600_000), access.apiSecret)],
    ["of tomorrow", tokenOf({ nbf: now + 86_400, exp: now + 86_700 })],
    ["that is valid for ever", eventToken({ iss: access.apiKey, sha256: tokenOf() }, access.apiSecret)],
    ["whose digest is another one's", tokenOf({ sha256: eventClaims(access.apiKey, `${body} `, 0).sha256 ?? "" })],
    ["whose digest is empty", tokenOf({ sha256: "" })],
    ["with half a signature", tokenOf().slice(0, -8)],
  ])("%s is not read", async (_what, token) => {
    expect(await read(body, token)).toBeNull();
  });

  it.each([
    ...["", "null", "1", "[]", '"participant_joined"', "{", "{]", '{"event":1}', '{"room":"phone-1"}', "\u0000"],
    ...['{"event":{}}', '{"room":{"name":7}}', "[".repeat(100_000), '{"room":'.repeat(20_000)],
  ])("that is signed and no event is not read: %s", async (sent) => {
    expect(await read(sent, tokenOf({}, access.apiSecret, sent))).toBeNull();
  });
});
