import { type Reply, uploadsBucket } from "#protocol/bus/control";
import {
  type MeasuredSample,
  type SampleQuestion,
  sampleSubjects,
  type TranscribedSample,
} from "#protocol/bus/samples";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import type { Logger } from "#common/log";
import { Semaphore } from "#common/semaphore";

export interface SampleServiceOptions {
  bus: Bus;
  log: Logger;
  /** Throws `bad_reference_audio` for what is no voice. */
  measure(bytes: Uint8Array, signal: AbortSignal): Promise<MeasuredSample>;
  transcribe(bytes: Uint8Array, signal: AbortSignal): Promise<TranscribedSample>;
}

/**
 * Samples that one edge measures, and others that it transcribes, at once: each has twenty megabytes at most, which are
 * there twice for a moment.
 */
const PLACES = 2;
const QUEUE = "edge";

/**
 * Answers the control plane's questions about voice samples, some at a time and the others in order; `close` ends that.
 */
export function serveSamples({ bus, log, measure, transcribe }: SampleServiceOptions): { close(): void } {
  async function read({ body, bodyObject }: SampleQuestion): Promise<Uint8Array> {
    const bytes = bodyObject === null ? body : await bus.objects(uploadsBucket).get(bodyObject);
    if (bytes === null)
      throw new ServiceError("dependency_unavailable", { parameters: { dependency: "Object storage" } });
    return bytes;
  }

  function serve<T>(
    subject: string,
    work: (bytes: Uint8Array, signal: AbortSignal) => Promise<T>,
  ): { unsubscribe(): void } {
    const places = new Semaphore(PLACES);
    const answer = async (question: SampleQuestion): Promise<Reply<T>> => {
      const signal = AbortSignal.timeout(question.withinMs);
      try {
        const leave = await places.take(signal);
        try {
          return { ok: true, value: await work(await read(question), signal) };
        } finally {
          leave();
        }
      } catch (error) {
        const known = signal.aborted ? new ServiceError("overloaded", { cause: error }) : error;
        if (!(known instanceof ServiceError))
          log.error({ err: known, subject }, "a voice sample could not be dealt with");
        return { ok: false, error: toErrorRecord(known) };
      }
    };
    return bus.respond<SampleQuestion, Reply<T>>(subject, answer, { queue: QUEUE });
  }

  const subscriptions = [
    serve<MeasuredSample>(sampleSubjects.measure, measure),
    serve<TranscribedSample>(sampleSubjects.transcribe, transcribe),
  ];
  return { close: () => subscriptions.forEach((subscription) => subscription.unsubscribe()) };
}
