import type { z } from "zod";
import type { ErrorCode } from "#protocol/errors";

/** Chapters of the documentation, in its order. */
export const operationTags = ["Speech", "Transcription", "Voices", "Agents", "Wallet", "Operation"] as const;

/** One operation of the public interface, as its description and the documentation page show it. */
export interface Operation {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Placeholders in braces. */
  path: string;
  tag: (typeof operationTags)[number];
  summary: string;
  description: string;
  needsKey: boolean;
  headers?: { name: string; description: string }[];
  query?: z.ZodObject;
  /** Body schema, the media types that carry it, and whether it may be absent. */
  body?: { schema: z.ZodType; mediaTypes: string[]; optional?: boolean };
  success: { status: number; description: string; mediaTypes: string[]; schema?: z.ZodType };
  errors: ErrorCode[];
  /** Arguments of an example `curl` call, after the address. */
  curl: string;
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
