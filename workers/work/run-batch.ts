import { type Batch, type BatchDone, schedulerDoneSubject } from "#protocol/bus/scheduling";
import { recognizeChunks } from "./recognize-chunks.js";
import type { BatchContext } from "./batch-context.js";
import { speakChunks } from "./speak-chunks.js";

/**
 * Does a batch: results to the chunks' owners as they are made, then one `BatchDone` to the scheduler that sent it.
 * Never rejects.
 */
export async function runBatch(batch: Batch, context: BatchContext): Promise<void> {
  const { model, batchId } = batch;
  const speech = batch.chunks.flatMap(({ chunk, queuedUs }) => (chunk.task === "speak" ? [{ chunk, queuedUs }] : []));
  const audio = batch.chunks.flatMap(({ chunk, queuedUs }) => (chunk.task === "speak" ? [] : [{ chunk, queuedUs }]));
  const outcomes = await Promise.all([speakChunks(batch, speech, context), recognizeChunks(model, audio, context)]);
  const done: BatchDone = {
    type: "done",
    workerId: context.workerId,
    epoch: context.epoch,
    batchId,
    model,
    outcomes: outcomes.flat(),
  };
  context.bus.publish(schedulerDoneSubject(batch.schedulerId), done);
}
