import { CANARY, type Expected, type HttpCase, type LiveCase, type LiveExpected, type RawCase } from "./case.js";
import { documentedError } from "./documented.js";
import type { HttpAnswer, LiveAnswer, RawAnswer } from "./send.js";

/** What is wrong with an answer, or null. */
export function judgeHttp(asked: HttpCase, answer: HttpAnswer): string | null {
  const { status, headers, body } = answer;
  const text = body.toString("latin1");
  const type = headers["content-type"] ?? "";
  // Audio is not for reading.
  const shown = `${status} ${type} ${JSON.stringify(text.slice(0, type.startsWith("audio/") ? 20 : 300))}`;
  if (status >= 500) return `a server error: ${shown}`;
  if (status >= 400 && (text + JSON.stringify(headers)).includes(CANARY)) return `the input was echoed: ${shown}`;
  const flaw = status >= 400 ? flawOfRefusal(answer, asked.method) : null;
  if (flaw !== null) return `${flaw}: ${shown}`;
  const verdicts = asked.expected.map((expected) => judgeExpected(expected, answer, asked.method));
  return verdicts.includes(null) ? null : `${verdicts.join("; ")}; got ${shown}`;
}

/** What every refusal has in common (docs/protocol.md "Errors"). */
function flawOfRefusal({ status, headers, body }: HttpAnswer, method: string): string | null {
  if (status === 401 && !/^Bearer/.test(headers["www-authenticate"] ?? "")) return "401 without WWW-Authenticate";
  if (status === 405 && !/[A-Z]/.test(headers["allow"] ?? "")) return "405 without Allow";
  if (body.length === 0) return null;
  if (method === "HEAD") return "a body in an answer to HEAD";
  if (headers["content-type"] !== "application/json") return "not application/json";
  const value = parseJson(body);
  if (status === 422)
    return Array.isArray(value) && value.length > 0 && value.every(isProblem) ? null : "not a list of problems";
  return isErrorBody(value) && value.status === status ? null : "not an error body";
}

function isProblem(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { type, loc, msg, ctx, ...rest } = value as Record<string, unknown>;
  const isPath = Array.isArray(loc) && loc.every((step) => typeof step === "string" || typeof step === "number");
  return (
    typeof type === "string" &&
    typeof msg === "string" &&
    isPath &&
    (ctx === undefined || typeof ctx === "object") &&
    Object.keys(rest).length === 0
  );
}

function isErrorBody(value: unknown): value is { status: number; message: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { status, message, reason, ...rest } = value as Record<string, unknown>;
  return (
    typeof status === "number" &&
    typeof message === "string" &&
    (reason === undefined || typeof reason === "string") &&
    Object.keys(rest).length === 0
  );
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined; // judged as a broken body
  }
}

/** Null when the answer is the expected one. */
function judgeExpected(expected: Expected, { status, headers, body }: HttpAnswer, method: string): string | null {
  const type = headers["content-type"] ?? "";
  switch (expected.kind) {
    case "success":
      return status === expected.status ? null : `expected ${expected.status}`;
    case "audio":
      return status === 200 && /^audio\/(mpeg|wav|pcm|ogg)$/.test(type) && body.length > 200 ? null : "expected sound";
    case "events":
      return status === 200 &&
        type === "text/event-stream" &&
        /^data: \{"audio_base64":"[\w+/]/.test(body.toString("latin1"))
        ? null
        : "expected events";
    case "error": {
      const row = documentedError(expected.code);
      if (status !== row.status) return `expected ${row.status} ${expected.code}`;
      if (method === "HEAD" || row.body === "problems") return null;
      if (row.body === "bare") return body.length === 0 ? null : `expected no body of ${expected.code}`;
      const { message = "" } = (parseJson(body) ?? {}) as { message?: string };
      return row.message.test(message) ? null : `expected the message of ${expected.code}`;
    }
    case "problem": {
      const rows = status === 422 ? (parseJson(body) as { loc: unknown[]; type: string }[]) : [];
      const found = rows.some(
        (row) =>
          expected.loc.every((step, index) => row.loc[index] === step) && (expected.type ?? row.type) === row.type,
      );
      return found ? null : `expected 422 at ${expected.loc.join(".")} ${expected.type ?? ""}`;
    }
  }
}

export function judgeRaw(asked: RawCase, { statuses, text }: RawAnswer): string | null {
  if (statuses.some((status) => status >= 500 && status !== 505)) return `a server error: ${text.slice(0, 300)}`;
  if (statuses.length === 0) return asked.mayBreakOff ? null : "broken off without an answer";
  const strange = statuses.filter((status) => !asked.statuses.includes(status));
  if (strange.length > 0)
    return `expected ${asked.statuses.join(" or ")}, got ${statuses.join(", ")}: ${text.slice(0, 200)}`;
  return statuses.some((status) => status >= 400) && text.includes(CANARY)
    ? `the input was echoed: ${text.slice(0, 300)}`
    : null;
}

export function judgeLive(asked: LiveCase, answer: LiveAnswer): string | null {
  const reported = {
    finish: answer.finishes,
    closeCode: answer.closeCode,
    closeReason: answer.closeReason,
    refused: answer.refusedWith,
  };
  const shown = JSON.stringify(reported).slice(0, 400);
  if (shown.includes(CANARY)) return `the input was echoed: ${shown}`;
  if (answer.finishes.length > 1) return `finished more than once: ${shown}`;
  const verdicts = asked.expected.map((expected) => judgeLiveExpected(expected, answer));
  return verdicts.includes(null)
    ? null
    : `${verdicts.join("; ")}; got ${shown} with ${answer.audioBytes} bytes of audio`;
}

function judgeLiveExpected(
  expected: LiveExpected,
  { finishes: [finish], closeCode, audioBytes, left }: LiveAnswer,
): string | null {
  if (expected.kind === "left") return left ? null : "expected to be able to leave";
  if (expected.kind === "closed-for-policy")
    return finish === undefined && closeCode === 1008 ? null : "expected close 1008";
  if (expected.kind === "broken-off")
    return finish === undefined && (closeCode === 1009 || closeCode === 1006) ? null : "expected to be broken off";
  if (finish?.reason !== expected.kind) return `expected finish ${expected.kind}`;
  if (expected.kind === "stop") {
    if (closeCode !== 1000) return "expected close 1000";
    return expected.audio === undefined || expected.audio === audioBytes > 0
      ? null
      : `expected ${expected.audio ? "sound" : "no sound"}`;
  }
  if (typeof finish.message !== "string" || finish.message === "") return "expected a message";
  if (/internal/i.test(finish.message)) return "an internal error";
  if (!finish.message.includes(expected.contains ?? "")) return `expected "${expected.contains}" in the message`;
  return (expected.tooLarge === true ? [1009] : [1000, 1011]).includes(closeCode)
    ? null
    : "expected another close code";
}
