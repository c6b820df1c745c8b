import { parentPort } from "node:worker_threads";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import { createPipeline, type Pipeline } from "./pipeline.js";
import type { ThreadReply, ThreadRequest } from "./thread-messages.js";

// Entry point of an encoder thread: carries out each stream's calls in order.

const port = parentPort;
if (port === null) throw new Error("encoder-thread runs as a worker thread only");

interface Stream {
  pipeline: Promise<Pipeline>;
  /** Settles when the calls so far are done. */
  turn: Promise<void>;
}

const streams = new Map<number, Stream>();

port.on("message", (request: ThreadRequest) => {
  if (request.kind === "open") {
    const pipeline = createPipeline(request.spec);
    streams.set(request.stream, { pipeline, turn: pipeline.then(nothing, nothing) });
    return;
  }
  const stream = streams.get(request.stream);
  if (stream === undefined) return;
  if (request.kind === "close") {
    streams.delete(request.stream);
    stream.turn = stream.turn.then(() => stream.pipeline.then((pipeline) => pipeline.free(), nothing));
    return;
  }
  stream.turn = stream.turn.then(async () => {
    const reply = await answer(stream, request);
    port.postMessage(reply, "bytes" in reply ? [reply.bytes.buffer as ArrayBuffer] : []);
  });
});

async function answer(stream: Stream, request: Exclude<ThreadRequest, { kind: "open" | "close" }>): Promise<ThreadReply> {
  try {
    const pipeline = await stream.pipeline;
    const bytes = request.kind === "write" ? pipeline.write(request.samples) : pipeline[request.kind]();
    return { call: request.call, bytes };
  } catch (error) {
    const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
    return { call: request.call, error: toErrorRecord(known) };
  }
}

/** A pipeline that could not be made is reported by each call that needs it. */
function nothing(): void {}
