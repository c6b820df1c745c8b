import type { Bus } from "#common/bus/bus";
import { newIdentifier } from "#common/identifier";
import type { Logger } from "#common/log";
import { MAX_INLINE_BODY_BYTES, type Reply, uploadsBucket } from "#protocol/bus/control";
import {
  type MeasuredSample,
  type SampleQuestion,
  sampleSubjects,
  type TranscribedSample,
} from "#protocol/bus/samples";
import { fromErrorRecord } from "#protocol/errors";
import { storing } from "../http/answer.js";

/**
 * What edges find out about a voice sample. Both throw `dependency_unavailable` when none answers in time, besides the
 * errors of `SampleQuestion`.
 */
export interface SampleQuestions {
  measure(bytes: Uint8Array, withinMs: number): Promise<MeasuredSample>;
  transcribe(bytes: Uint8Array, withinMs: number): Promise<TranscribedSample>;
}

/** Of the time that whoever asks has, this is for the ways there and back. */
const WAYS_MS = 1000;

/** Asks the edges over the bus. A sample that is too large for it waits in the object store meanwhile. */
export function askEdges(bus: Bus, log: Logger): SampleQuestions {
  async function ask<T>(subject: string, bytes: Uint8Array, withinMs: number): Promise<T> {
    const isLarge = bytes.byteLength > MAX_INLINE_BODY_BYTES;
    const bodyObject = isLarge ? newIdentifier() : null;
    const question: SampleQuestion = {
      body: isLarge ? new Uint8Array(0) : bytes,
      bodyObject,
      withinMs: withinMs - WAYS_MS,
    };
    try {
      if (bodyObject !== null) await storing(() => bus.objects(uploadsBucket).put(bodyObject, bytes));
      const reply = await bus.request<Reply<T>>(subject, question, {
        timeoutMs: withinMs,
        dependency: "Audio decoding",
      });
      if (!reply.ok) throw fromErrorRecord(reply.error);
      return reply.value;
    } finally {
      if (bodyObject !== null) await discard(bodyObject);
    }
  }

  async function discard(name: string): Promise<void> {
    try {
      await bus.objects(uploadsBucket).delete(name);
    } catch (error) {
      log.warn({ err: error }, "a voice sample was left in the object store");
    }
  }

  return {
    measure: (bytes, withinMs) => ask<MeasuredSample>(sampleSubjects.measure, bytes, withinMs),
    transcribe: (bytes, withinMs) => ask<TranscribedSample>(sampleSubjects.transcribe, bytes, withinMs),
  };
}
