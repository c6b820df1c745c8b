import { type EventClaims, eventClaims, eventToken } from "#common/livekit/testing/event-token";
import { CANARY, type Case, error, type Expected, type HttpCase } from "./case.js";
import { bodyCase, httpCase } from "./requests.js";

const EVENTS = "/livekit/events";
const TYPE = "application/webhook+json";
const SECRET = "secret-secret-secret-secret-secret";
/** Of the same five minutes in every run, so that a case sends the same bytes. */
const SOME_DAY_MS = Date.UTC(2026, 0, 1);
const body = JSON.stringify({ event: "participant_joined", room: { name: `phone-${"f".repeat(32)}-1`, sid: CANARY } });
const refused = error("unauthenticated", "invalid_token");

const tell = (name: string, authorization: string, expected: Expected[], sent: string | Uint8Array = body): HttpCase =>
  bodyCase(`an event ${name}`, TYPE, sent, expected, { path: EVENTS, headers: { authorization } });

/** What strangers send to LiveKit's webhook, where no LiveKit server is: nothing of it is believed, or looked at. */
export function liveKitEventCases(): Case[] {
  const claims = eventClaims("key", body, SOME_DAY_MS);
  const forged = (change: EventClaims = {}): string => eventToken({ ...claims, ...change }, SECRET);
  const tokens: [name: string, token: string][] = [
    ["without a signature", ""],
    ["with a word", "signed"],
    ["with a bearer of a word", "Bearer x"],
    ["signed by somebody", forged()],
    ["signed by somebody, as a bearer", `Bearer ${forged()}`],
    ["that is valid for ever", forged({ exp: 2 ** 52 })],
    ["of nobody", forged({ iss: "" })],
    ["that says it needs no signature", eventToken(claims, "", "none")],
    ["with dots", "...."],
    ["with a long token", "x".repeat(8000)],
  ];
  const bodies: [name: string, sent: string | Uint8Array][] = [
    ["that is empty", ""],
    ["that is no JSON", `{${CANARY}`],
    ["that is null", "null"],
    ["that is a list", "[]"],
    ["that is no text", Buffer.from([0xff, 0xfe, 0, 0x80])],
    ["that is as deep as it is long", "[".repeat(100_000)],
    ["of 500 KiB", JSON.stringify({ event: "x".repeat(500 * 1024) })],
  ];
  const large = JSON.stringify({ event: "x".repeat(512 * 1024) });
  return [
    ...tokens.map(([name, token]) => tell(name, token, refused)),
    ...bodies.map(([name, sent]) => tell(name, forged(), refused, sent)),
    tell("that is too large", forged(), error("payload_too_large"), large),
    tell("that is too large and not signed", "", error("payload_too_large"), large),
    httpCase("an event without a body", { path: EVENTS, expected: refused }),
    httpCase("an event with a key of a team", {
      ...{ path: EVENTS, expected: refused },
      headers: { "content-type": TYPE },
      body: Buffer.from(body),
    }),
    ...["application/json", "text/plain", "application/webhook+json; charset=utf-8", ""].map((type) =>
      bodyCase(`an event of type ${type}`, type, body, refused, { path: EVENTS, headers: { authorization: forged() } }),
    ),
    ...["GET", "HEAD", "PUT", "PATCH", "DELETE"].map((method) =>
      httpCase(`${method} of LiveKit's events`, { method, path: EVENTS, expected: error("method_not_allowed") }),
    ),
    httpCase("an event below LiveKit's events", { path: `${EVENTS}/${CANARY}`, expected: error("not_found") }),
  ];
}
