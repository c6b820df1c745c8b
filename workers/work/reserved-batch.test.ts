import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type BatchDone, schedulerDoneSubject } from "#protocol/bus/scheduling";
import type { Bus } from "#common/bus/bus";
import { systemClock } from "#common/clock";
import { createLogger } from "#common/log";
import { testChunk } from "../engines/testing/speak.js";
import { Phonemizer } from "../engines/espeak/phonemizer.js";
import { ModelThreads } from "../engines/model-threads.js";
import { OnnxEngine } from "../engines/onnx/engine.js";
import { SessionPool } from "../engines/onnx/session-pool.js";
import { writeToneVoice } from "../engines/onnx/testing/tone-voice.js";
import { readModelFolder } from "../repository/folder.js";
import type { WorkerTelemetry } from "../telemetry/worker-telemetry.js";
import { parseInbound } from "./inbound.js";
import { runBatch } from "./run-batch.js";
import { RunningChunks } from "./running.js";

const folder = mkdtempSync(join(tmpdir(), "parley-reserved-"));
const log = createLogger("test", "fatal");
const phonemizer = new Phonemizer({ log, clock: systemClock });
const threads = new ModelThreads(1, 1);
const noTelemetry: WorkerTelemetry = { chunkDone: () => undefined, audioDone: () => undefined };
const heldTask = new URL("../engines/testing/held-task.js", import.meta.url);

afterAll(async () => {
  await Promise.all([threads.close(), phonemizer.close()]);
  rmSync(folder, { recursive: true });
});

it("speaks a batch of a reserved slot while the thread for all work is busy", async () => {
  writeToneVoice(folder, "tone");
  const model = await readModelFolder(folder);
  const pool = new SessionPool(threads);
  const engine = await OnnxEngine.load({ model, pool, phonemizer, providers: ["cpu"], log });
  await engine.warmUp();
  const published: { subject: string; message: object }[] = [];
  const bus = { publish: (subject: string, message: object) => void published.push({ subject, message }) } as Bus;
  const released = new Int32Array(new SharedArrayBuffer(4));
  const busy = threads.run(heldTask, { released });
  const inbound = parseInbound({
    type: "batch",
    batchId: "b1",
    schedulerId: "scheduler-1",
    model: "tone",
    reserved: true,
    chunks: [{ chunk: testChunk("Hello."), queuedUs: 5 }],
  });
  if (!inbound.ok || inbound.message.type !== "batch") throw new RangeError("the batch was not taken");
  await runBatch(inbound.message, {
    bus,
    clock: systemClock,
    log,
    workerId: "w1",
    epoch: "e1",
    running: new RunningChunks(),
    telemetry: noTelemetry,
    speakerOf: () => engine,
    recognizerOf: () => undefined,
  });
  const done = published.find(({ subject }) => subject === schedulerDoneSubject("scheduler-1"))?.message as BatchDone;
  expect(done.outcomes.map(({ result }) => result)).toEqual(["spoken"]);
  Atomics.store(released, 0, 1);
  Atomics.notify(released, 0);
  await busy;
});
