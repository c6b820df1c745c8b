import { encode } from "@msgpack/msgpack";
import type { Case, Expected, HttpCase, LiveCase, LiveExpected, LiveStep, RawCase } from "./case.js";

export const JSON_TYPE = "application/json";
export const MSGPACK_TYPE = "application/msgpack";
export const SPEECH = "/v1/tts";
export const SPEECH_EVENTS = "/v1/tts/stream/with-timestamp";

/** The smallest request that is right: little text, little audio. */
export const goodSpeech = { text: "Go.", format: "pcm", sample_rate: 8000 };

export function httpCase(
  name: string,
  request: Partial<Omit<HttpCase, "kind" | "name">> & { expected: Expected[] },
): HttpCase {
  return { kind: "http", name, method: "POST", path: SPEECH, headers: {}, body: null, ...request };
}

/** A body of bytes or text under a content type. */
export function bodyCase(
  name: string,
  contentType: string,
  body: Uint8Array | string,
  expected: Expected[],
  more: Partial<HttpCase> = {},
): HttpCase {
  return httpCase(name, {
    ...more,
    headers: { "content-type": contentType, ...more.headers },
    body: Buffer.from(body),
    expected,
  });
}

export function jsonCase(name: string, value: unknown, expected: Expected[], more: Partial<HttpCase> = {}): HttpCase {
  return bodyCase(`${name}, JSON`, JSON_TYPE, JSON.stringify(value), expected, more);
}

export function msgpackCase(
  name: string,
  value: unknown,
  expected: Expected[],
  more: Partial<HttpCase> = {},
): HttpCase {
  return bodyCase(
    `${name}, MessagePack`,
    MSGPACK_TYPE,
    encode(value, { useBigInt64: true, maxDepth: 1_000_000 }),
    expected,
    more,
  );
}

/** The same value in both encodings. */
export function bothEncodings(
  name: string,
  value: unknown,
  expected: Expected[],
  more: Partial<HttpCase> = {},
): Case[] {
  return [jsonCase(name, value, expected, more), msgpackCase(name, value, expected, more)];
}

export function rawCase(
  name: string,
  text: string | Uint8Array,
  statuses: number[],
  more: Partial<RawCase> = {},
): RawCase {
  return {
    kind: "raw",
    name,
    bytes: typeof text === "string" ? Buffer.from(text, "latin1") : text,
    halfClose: false,
    statuses,
    mayBreakOff: true,
    ...more,
  };
}

/** Head of a request that closes its connection; `lines` are further header lines. */
export function rawHead(requestLine: string, ...lines: string[]): string {
  return [requestLine, "Host: parley", "Connection: close", "Authorization: Bearer {key}", ...lines, "", ""].join(
    "\r\n",
  );
}

export function liveCase(
  name: string,
  steps: (LiveStep | object)[],
  expected: LiveExpected[],
  headers: Record<string, string> = {},
): LiveCase {
  const encoded = steps.map((step): LiveStep => (isStep(step) ? step : encode(step, { useBigInt64: true })));
  return { kind: "live", name, headers, steps: encoded, expected };
}

function isStep(step: LiveStep | object): step is LiveStep {
  return typeof step === "string" || step instanceof Uint8Array || "pings" in step;
}

export const goodStart = { event: "start", request: { ...goodSpeech, text: "" } };
export const stop = { event: "stop" };
export const flush = { event: "flush" };
export const textEvent = (text: unknown): object => ({ event: "text", text });
