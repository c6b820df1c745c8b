import type { OwnerRecognitionInbound, AudioReply } from "#protocol/bus/recognition";
import { ServiceError } from "#protocol/errors";
import { RECOGNITION_RATE, MAX_AUDIO_SECONDS } from "#protocol/transcription/chunk";
import type { SubmissionClient } from "#submission/submission-client";
import { SubmissionMachine } from "#submission/submission-machine";
import type { SubmissionStream } from "#submission/submission-stream";
import { ChunkWork } from "./chunk-work.js";
import type { RecognitionOutput, RecognitionStream, RecognitionStreamSettings } from "./recognition-client.js";

/**
 * Chunks of one stream that schedulers hold at least: the rest waits here, so that one recording cannot fill their
 * queues.
 */
const SMALLEST_WINDOW = 32;
/** …or so many for every slot of the cluster, so that one recording can keep all workers busy. */
const WINDOW_PER_SLOT = 4;

/**
 * A recording's chunk may rightly wait in the queue for minutes. Silence about it is therefore first answered by
 * submitting the same attempt again, this often: a scheduler that has it ignores that, one that has lost it takes it.
 * Only then has the attempt failed.
 */
const REPEATS_FOR_RECORDINGS = 8;

/** A chunk that was out for this long had been taken: what interrupts it then is a new outage. */
const TAKEN_AFTER_MS = 5000;

export interface OpenRecognitionStreamOptions {
  settings: RecognitionStreamSettings;
  client: SubmissionClient;
  /** Called once when the stream is closed. */
  onClosed: () => void;
}

/**
 * Submits the chunks of one stream and holds their samples until the results come. Unlike speech, chunks depend on
 * nothing before them: they are out all at once, at whichever scheduler has the shortest queue.
 */
export class OpenRecognitionStream implements RecognitionStream {
  readonly #options: OpenRecognitionStreamOptions;
  readonly #submissions: SubmissionMachine<ChunkWork>;
  readonly #stream: SubmissionStream;
  #added = 0;
  #closed = false;

  constructor(options: OpenRecognitionStreamOptions) {
    this.#options = options;
    const { settings, client } = options;
    const { streamId, tier, model } = settings;
    this.#submissions = new SubmissionMachine<ChunkWork>({
      streamId,
      tier,
      isAdmitted: false,
      model,
      chooseScheduler: (_, avoid) => client.cluster.chooseScheduler({ model, keep: null, avoid, by: "backlog" }),
      repeats: tier === "live" ? 0 : REPEATS_FOR_RECORDINGS,
      takenAfterMs: TAKEN_AFTER_MS,
      exhausted: (attempts) => new ServiceError("transcription_failed", { parameters: { attempts } }),
      offerDue: (nowMs) => this.#offerDue(nowMs),
      chunkFailed: (chunk, error) => chunk.promise.reject(error),
    });
    this.#stream = client.open(streamId, {
      submissions: this.#submissions,
      nextWakeMs: () => this.#submissions.nextWakeMs(),
    });
  }

  /** Chunks that are not over. */
  get activePieces(): number {
    return this.#submissions.size;
  }

  async recognize(
    samples: Int16Array,
    { slackMs, signal }: { slackMs: number; signal?: AbortSignal },
  ): Promise<RecognitionOutput> {
    signal?.throwIfAborted();
    if (this.#closed) throw closedError();
    if (this.#submissions.refusal !== null) throw this.#submissions.refusal;
    if (samples.length === 0 || samples.length > MAX_AUDIO_SECONDS * RECOGNITION_RATE)
      throw new RangeError(`a piece of ${samples.length} samples`);
    const chunkIndex = this.#added++;
    const withdraw = (): void => this.#withdraw(chunkIndex, signal?.reason);
    signal?.addEventListener("abort", withdraw, { once: true });
    try {
      return await new Promise<RecognitionOutput>((resolve, reject) => {
        const context = { settings: this.#options.settings, ownerId: this.#options.client.ownerId };
        this.#stream.input((nowMs) => {
          const place = { chunkIndex, addedAtMs: nowMs };
          this.#submissions.add(new ChunkWork(place, samples, nowMs + slackMs, { resolve, reject }, context));
          this.#submissions.advance(nowMs);
        });
      });
    } finally {
      signal?.removeEventListener("abort", withdraw);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const chunk of this.#submissions.unfinished()) chunk.promise.reject(closedError());
    this.#stream.close();
    this.#options.onClosed();
  }

  /** The samples of a chunk for the worker that is to recognize it. */
  samplesOf(chunkIndex: number): AudioReply {
    const samples = this.#submissions.get(chunkIndex)?.samples;
    if (samples === undefined) return { type: "gone" };
    return { type: "audio", pcm: new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength) };
  }

  /** Takes a worker's result: whichever attempt it is of, equal samples give equal results. */
  recognized(message: OwnerRecognitionInbound): void {
    if (message.type === "failed") return this.#stream.failed(message);
    this.#stream.input((nowMs) => {
      const chunk = this.#submissions.complete(message.chunkIndex);
      if (chunk === undefined) return;
      // A scheduler that serves this stream is not silent: what stands behind is only waiting.
      this.#submissions.waitOnAll(chunk.schedulerId, nowMs);
      this.#submissions.advance(nowMs);
      chunk.promise.resolve(
        message.type === "recognized"
          ? { task: "transcribe", words: message.words, language: message.language }
          : // The bus gave the bytes to us, but they are a view on a whole message: keeping it would keep the message.
            { task: "vad", speech: message.speech.slice() },
      );
    });
  }

  #withdraw(chunkIndex: number, reason: unknown): void {
    this.#submissions.get(chunkIndex)?.promise.reject(reason);
    this.#stream.input((nowMs) => this.#submissions.withdraw(chunkIndex, nowMs));
  }

  #offerDue(nowMs: number): void {
    const { client, settings } = this.#options;
    const window = Math.max(SMALLEST_WINDOW, WINDOW_PER_SLOT * client.cluster.slotsOf(settings.model));
    let out = 0;
    for (const chunk of this.#submissions.unfinished()) {
      if (out >= window) return;
      if (chunk.isDue(nowMs)) this.#submissions.offer(chunk, chunk.goalAtMs - nowMs, nowMs);
      // What failed just now has left its place to the next.
      if (chunk.state !== "over") out++;
    }
  }
}

function closedError(): DOMException {
  return new DOMException("The recognition stream is closed", "AbortError");
}
