import type { z } from "zod";
import type { KeyScope } from "../bus/control.js";
import type { ErrorCode } from "../errors.js";
import { bodyLimits } from "../limits.js";

/** Chapters of the documentation, in its order. */
export const operationTags = [
  "Speech",
  "Transcription",
  "Voices",
  "Agents",
  "Wallet",
  "Keys",
  "Console",
  "Operation",
] as const;

/** One operation of the public interface: its route, its forwarding and its description come from here. */
export interface Operation {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With `:placeholders`, each for one segment. */
  path: string;
  tag: (typeof operationTags)[number];
  summary: string;
  description: string;
  /** What the caller's key must cover; `any` for every key, null where none is asked for. */
  scope: KeyScope | "any" | null;
  /** Whether callers without a key are let in too: what they may do then is the operation's own to say. */
  isKeyOptional?: true;
  /** Whether the control plane reads `Authorization` itself: what stands in it is no key of a caller's. */
  readsAuthorization?: true;
  headers?: { name: string; description: string }[];
  query?: z.ZodObject;
  /**
   * Body schema, the media types that carry it, whether it may be absent, and its largest size where it is no record.
   */
  body?: { schema: z.ZodType; mediaTypes: string[]; optional?: boolean; maxBytes?: number };
  /** Largest frame of a WebSocket. */
  maxFrameBytes?: number;
  /** How long an edge waits for the control plane's answer, where it is not `ANSWER_TIMEOUT_MS`. */
  answerTimeoutMs?: number;
  success: { status: number; description: string; mediaTypes: string[]; schema?: z.ZodType };
  /** When a 307 is the answer, which sends clients to another address. */
  redirect?: string;
  errors: ErrorCode[];
  /** Arguments of an example `curl` call, after the address. */
  curl: string;
}

/** Address that examples ask; a page that knows the real one puts it in its place. */
export const sampleAddress = "http://localhost:8080";

/** A voice upload decodes and measures its samples before it answers. */
export const ANSWER_TIMEOUT_MS = 30_000;

/** Largest body that an operation takes, bytes; 0 where none is wanted. */
export function maxBodyBytesOf({ body }: Operation): number {
  return body === undefined ? bodyLimits.none : (body.maxBytes ?? bodyLimits.record);
}

/** Path as OpenAPI writes it, with placeholders in braces. */
export function bracedPath({ path }: Pick<Operation, "path">): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

/** What every route that needs a key may answer. */
export const authentication: ErrorCode[] = [
  "unauthenticated",
  "invalid_token",
  "token_expired",
  "missing_scope",
  "dependency_unavailable",
];
/** Media types of a JSON answer. */
export const json = ["application/json"];
/** Arguments of `curl` for a JSON body. */
export const jsonBody = `-H "Content-Type: application/json"`;

/** Errors of a JSON body. */
export const bodyErrors: ErrorCode[] = ["malformed_json", "payload_too_large", "unsupported_media_type", "validation"];

/** Errors of a list that is read in pages. */
export const pagingErrors: ErrorCode[] = ["conflicting_paging", "invalid_cursor", "page_out_of_range", "validation"];

/** How such a list is read. */
export const paging =
  "Newest first. Follow next_cursor, or count pages with page; page always gives a total, a cursor with include_total.";

/** An answer without a body. */
export const nothing: Operation["success"] = { status: 204, description: "Done.", mediaTypes: [] };
