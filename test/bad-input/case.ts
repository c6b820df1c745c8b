import type { ErrorCode } from "#protocol/errors";
import { sha256Hex } from "#common/identifier";

/** Planted in inputs: no refusal may ever show it. */
export const CANARY = "canary-5e1f9c";

/** One answer that the documentation allows; a case that it leaves open lists several. */
export type Expected =
  /** A row of docs/errors.md: its status, and its body to the letter. */
  | { kind: "error"; code: ErrorCode }
  /** 422: some row of the list is about this place (`loc` begins so), and of this type where one is given. */
  | { kind: "problem"; loc: (string | number)[]; type?: string }
  /** 200 and audio. */
  | { kind: "audio" }
  /** 200 and server-sent events with audio. */
  | { kind: "events" }
  /** A success of another kind. */
  | { kind: "success"; status: number };

export interface HttpCase {
  kind: "http";
  name: string;
  method: string;
  /** `{voice}`, `{agent}` and `{test}` stand for the ids of what exists. */
  path: string;
  /** Lower-case names. Without `authorization` the right key is sent; an empty one sends none. */
  headers: Record<string, string>;
  body: Uint8Array | null;
  expected: Expected[];
  /** Leave after so many bytes of the answer's body: it is longer than anybody wants to hear. */
  leaveAfterBytes?: number;
}

/** Bytes on a socket, well-formed or not. `{key}` in them is the right key. */
export interface RawCase {
  kind: "raw";
  name: string;
  bytes: Uint8Array;
  /** Whether the client shuts its side down after them. Otherwise the server must end the connection. */
  halfClose: boolean;
  /** Statuses that may be answered. */
  statuses: number[];
  /** Whether breaking off without an answer is right too: HTTP itself does not ask for one to what is no HTTP. */
  mayBreakOff: boolean;
  /** Sent once the upgrade to WebSocket is answered. */
  afterUpgrade?: Uint8Array;
  /** Leave when the head of an answer has come, whatever it says: what it opened may stay open for ever. */
  leaveAfterAnswer?: boolean;
}

/** A step of a live client: a frame, a number of pings, or leaving. */
export type LiveStep = Uint8Array | string | { pings: number } | "leave";

export type LiveExpected =
  /** `finish` with reason `stop`, close 1000. */
  | { kind: "stop"; audio?: boolean }
  /** `finish` with reason `error` and a message, then the close: 1009 for what is too large, otherwise 1000 or 1011. */
  | { kind: "error"; contains?: string; tooLarge?: boolean }
  /** The connection is closed with 1008, without a `finish`. */
  | { kind: "closed-for-policy" }
  /** The connection is closed with 1009 or broken off. */
  | { kind: "broken-off" }
  /** The client left by itself. */
  | { kind: "left" };

export interface LiveCase {
  kind: "live";
  name: string;
  headers: Record<string, string>;
  steps: LiveStep[];
  expected: LiveExpected[];
}

export type Case = HttpCase | RawCase | LiveCase;

/** A named list of cases; a failure in it stands for the topic. */
export interface Topic {
  name: string;
  cases: Case[];
}

export const error = (...codes: ErrorCode[]): Expected[] => codes.map((code) => ({ kind: "error", code }));
export const problem = (...loc: (string | number)[]): Expected[] => [{ kind: "problem", loc }];
export const success = (status: number): Expected[] => [{ kind: "success", status }];
export const audio: Expected[] = [{ kind: "audio" }];
export const silent = error("nothing_to_speak");

/** Stands for what a case sends, whatever it is called. */
export function wireDigest(asked: Case): string {
  const digest = (bytes: Uint8Array | null | undefined): string => sha256Hex(bytes ?? "");
  switch (asked.kind) {
    case "http":
      return JSON.stringify([asked.method, asked.path, asked.headers, digest(asked.body)]);
    case "raw":
      return JSON.stringify([digest(asked.bytes), digest(asked.afterUpgrade), asked.halfClose]);
    case "live":
      return JSON.stringify([
        asked.headers,
        asked.steps.map((step) => (step instanceof Uint8Array ? digest(step) : step)),
      ]);
  }
}
