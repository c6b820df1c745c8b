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

/**
 * Loads and runs each codec once: the first stream of a fresh thread would otherwise wait 100 ms and more for its first
 * audio.
 */
async function warmUp(): Promise<void> {
  const common = { inputSampleRate: 22_050, mp3KilobitsPerSecond: 128, opusBitsPerSecond: null, gainDb: 0 };
  for (const spec of [
    { ...common, format: "mp3", outputSampleRate: 44_100 },
    { ...common, format: "opus", outputSampleRate: 48_000 },
  ] as const) {
    const pipeline = await createPipeline(spec);
    pipeline.write(new Int16Array(4410));
    pipeline.finish();
    pipeline.free();
  }
}

// A codec that fails here fails again, with a caller to tell, when a stream asks for it.
const warm = settled(warmUp());

port.on("message", (request: ThreadRequest) => {
  if (request.kind === "open") {
    const pipeline = warm.then(() => createPipeline(request.spec));
    streams.set(request.stream, { pipeline, turn: settled(pipeline) });
    return;
  }
  const stream = streams.get(request.stream);
  if (stream === undefined) return;
  if (request.kind === "close") {
    streams.delete(request.stream);
    stream.turn = stream.turn.then(() => settled(stream.pipeline.then((pipeline) => pipeline.free())));
    return;
  }
  stream.turn = stream.turn.then(async () => {
    const reply = await answer(stream, request);
    port.postMessage(reply, "bytes" in reply ? [reply.bytes.buffer as ArrayBuffer] : []);
  });
});

/** Without its outcome: a pipeline that could not be made is reported by each call that needs it. */
function settled(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => undefined,
    () => undefined,
  );
}

async function answer(
  stream: Stream,
  request: Exclude<ThreadRequest, { kind: "open" | "close" }>,
): Promise<ThreadReply> {
  try {
    const pipeline = await stream.pipeline;
    const bytes = request.kind === "write" ? pipeline.write(request.samples) : pipeline[request.kind]();
    return { call: request.call, bytes };
  } catch (error) {
    const known = error instanceof ServiceError ? error : new ServiceError("internal", { cause: error });
    return { call: request.call, error: toErrorRecord(known) };
  }
}
