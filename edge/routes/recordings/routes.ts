import { controlSubjects, type Reply } from "#protocol/bus/control";
import {
  type OpenRecordingReply,
  type OpenRecordingRequest,
  RECORDING_PART_BYTES,
  recordingFileName,
  recordingPartName,
  recordingsBucket,
} from "#protocol/bus/recording";
import { fromErrorRecord, ServiceError } from "#protocol/errors";
import { downloadRecording } from "#protocol/operations/recordings";
import type { Bus } from "#common/bus/bus";
import { declaredRoute } from "../../http/declared-route.js";
import type { HttpRequest, HttpResponder, HttpRoute } from "../../http/exchange.js";
import { type ByteRange, readByteRange } from "./byte-range.js";

const ANSWER_TIMEOUT_MS = 10_000;

/** An answer up to this is put together and sent with its length; a longer one is sent object by object. */
const MAX_WHOLE_BYTES = 4 * RECORDING_PART_BYTES;

/** The files behind download addresses. Whoever has an address may read it, from every page. */
export function recordingRoutes({ bus }: { bus: Pick<Bus, "request" | "objects"> }): HttpRoute[] {
  const route = declaredRoute(downloadRecording, async (request, responder) => {
    const sessionId = request.parameters["session_id"] ?? "";
    const { role, bytes, address } = await open(bus, sessionId, request);
    // A control plane of an earlier release says nothing of it.
    if (typeof address === "string" && request.method === "GET") {
      responder.begin(307, { location: address, "cache-control": "no-store" });
      return responder.end();
    }
    const name = `${sessionId}-${role}`;
    const asked = rangeOf(request, bytes, `"${name}"`);
    const range = asked ?? wholeOf(bytes);
    const head = {
      "content-type": "audio/ogg",
      "content-disposition": `attachment; filename="${recordingFileName(sessionId, role)}"`,
      "accept-ranges": "bytes",
      etag: `"${name}"`,
      "cache-control": "private, max-age=3600",
      "x-content-type-options": "nosniff",
      ...(asked === null ? {} : { "content-range": `bytes ${asked.from}-${asked.to}/${bytes}` }),
    };
    const begin = (headers: Record<string, string>): void => responder.begin(asked === null ? 200 : 206, headers);
    if (request.method === "HEAD") {
      begin({ ...head, "content-length": String(lengthOf(range)) });
      return responder.end();
    }
    const files = bus.objects(recordingsBucket);
    const chunks = chunksOf(range, (part) => files.get(recordingPartName(sessionId, role, part)));
    await send(responder, chunks, { isWhole: lengthOf(range) <= MAX_WHOLE_BYTES, begin: () => begin(head) });
  });
  return [{ ...route, isForEveryPage: true }];
}

const wholeOf = (bytes: number): ByteRange => ({ from: 0, to: bytes - 1 });
const lengthOf = ({ from, to }: ByteRange): number => to - from + 1;

/** Throws `recording_not_found` for an address that is none of ours, or has expired. */
async function open(bus: Pick<Bus, "request">, sessionId: string, request: HttpRequest): Promise<OpenRecordingReply> {
  const query = new URLSearchParams(request.query);
  const question: OpenRecordingRequest = {
    sessionId,
    role: request.parameters["role"] ?? "",
    expires: query.get("expires") ?? "",
    signature: query.get("signature") ?? "",
  };
  const reply = await bus.request<Reply<OpenRecordingReply>>(controlSubjects.openRecording, question, {
    timeoutMs: ANSWER_TIMEOUT_MS,
    dependency: "The control plane",
  });
  if (!reply.ok) throw fromErrorRecord(reply.error);
  return reply.value;
}

/** The range that the answer is to hold; null is all. Throws `range_not_satisfiable`. */
function rangeOf(request: HttpRequest, bytes: number, etag: string): ByteRange | null {
  const condition = request.header("if-range");
  if (condition !== undefined && condition !== etag) return null;
  const range = readByteRange(request.header("range"), bytes);
  if (range === "beyond") throw new ServiceError("range_not_satisfiable", { parameters: { bytes } });
  return range === "whole" ? null : range;
}

/** Reads a range of a file object by object. Throws `dependency_unavailable` where one is missing. */
async function* chunksOf(
  { from, to }: ByteRange,
  read: (part: number) => Promise<Uint8Array | null>,
): AsyncGenerator<Uint8Array, void> {
  for (let at = from; at <= to; ) {
    const part = Math.floor(at / RECORDING_PART_BYTES);
    const partStart = part * RECORDING_PART_BYTES;
    const chunk = (await read(part))?.subarray(at - partStart, to + 1 - partStart);
    if (chunk === undefined || chunk.byteLength === 0)
      throw new ServiceError("dependency_unavailable", { parameters: { dependency: "Object storage" } });
    at += chunk.byteLength;
    yield chunk;
  }
}

/** Sends chunks as fast as the client takes them. What fails before the first one is there can still be answered. */
async function send(
  responder: HttpResponder,
  chunks: AsyncIterable<Uint8Array>,
  { isWhole, begin }: { isWhole: boolean; begin: () => void },
): Promise<void> {
  const held: Uint8Array[] = [];
  for await (const chunk of chunks) {
    if (responder.closed.aborted) return;
    if (isWhole) held.push(chunk);
    else {
      if (!responder.begun) begin();
      if (!responder.write(chunk)) await responder.writable();
    }
  }
  if (!responder.begun) begin();
  responder.end(isWhole ? Buffer.concat(held) : undefined);
}
