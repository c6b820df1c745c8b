import type { UsageRecord } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { newIdentifier } from "#common/identifier";
import { Chunker, type ChunkText } from "#speech/chunking/chunker";
import type { SpeechStream } from "#speech/stream/speech-stream";
import type { StreamEvent } from "#speech/stream/stream-event";
import type { Caller } from "./caller.js";
import type { SpeechContext } from "./context.js";
import { Delivery } from "#speech/output/delivery";
import { Encoding } from "#speech/output/encoding";
import { FirstAudio } from "#speech/output/first-audio";
import type { RequestOutcome } from "#common/metrics/outcome";
import type { SpeechRoute } from "#speech/metrics";
import type { SpeechOutput } from "#speech/output/output";
import type { SpeechPlan } from "./plan.js";
import type { ReportEnd } from "#common/usage/usage-reporter";
import { beginSpeakSpan, type SpeakSpan } from "#speech/speak-span";

export interface SpokenRequestOptions {
  context: SpeechContext;
  caller: Caller;
  plan: SpeechPlan;
  route: SpeechRoute;
  output: SpeechOutput;
}

/**
 * One request on its way from text to encoded audio: text → chunker → stream → encoder → output.
 * It ends by itself after `end`, or by `cancel`; however it ends, what was given to the client is reported once.
 */
export class SpokenRequest {
  readonly #options: SpokenRequestOptions;
  readonly #chunker: Chunker;
  readonly #stream: SpeechStream;
  readonly #encoding: Encoding;
  readonly #firstAudio = new FirstAudio();
  readonly #span: SpeakSpan;
  readonly #delivery = new Delivery();
  readonly #usageId = newIdentifier();
  readonly #reportEnd: ReportEnd;
  #pieces = 0;
  #over = false;

  constructor(options: SpokenRequestOptions) {
    this.#options = options;
    const { context, plan } = options;
    this.#chunker = new Chunker({ pace: plan.pace, freeTags: plan.freeTags });
    this.#encoding = new Encoding({
      encoders: context.encoders,
      spec: plan.encoding,
      expectedSampleRate: plan.expectedSampleRate,
      output: this.#observed(options.output),
      clock: context.clock,
      onHold: (held) => this.#stream.hold(held),
      onBroken: (error) => {
        // Else the output took no more, and the caller is told why.
        if (!(error instanceof ServiceError))
          context.log.error({ err: error, streamId: plan.settings.streamId }, "encoding failed");
        this.#stream.cancel();
        this.#finish("failed");
      },
    });
    this.#span = beginSpeakSpan(context.tracing, options.caller.traceparent);
    this.#stream = context.speech.open({ ...plan.settings, traceparent: this.#span.traceparent }, (event) =>
      this.#note(event),
    );
    this.#reportEnd = context.usage.begin(() => this.#usageSoFar());
    context.metrics.streamOpened(options.route);
  }

  /** Pieces that the text has made so far. */
  get pieces(): number {
    return this.#pieces;
  }

  /** UTF-8 bytes of text that no scheduler has yet. */
  get waitingBytes(): number {
    return this.#stream.waitingBytes + Buffer.byteLength(this.#chunker.heldText);
  }

  /** Whether `trigger` has asked for text that is still held back. */
  get isTriggered(): boolean {
    return this.#chunker.isTriggered;
  }

  /** Takes text that arrived at `arrivedAtMs`. */
  text(text: string, arrivedAtMs: number): void {
    this.#add(this.#chunker.push(text), arrivedAtMs);
    if (this.#stream.wantsText) this.#add(this.#chunker.releaseHeld(), arrivedAtMs);
  }

  /** Text stopped arriving: speaks finished sentences that were held back for more. */
  releaseFinished(arrivedAtMs: number): void {
    this.#add(this.#chunker.releaseFinished(), arrivedAtMs);
  }

  /** Speaks everything so far; the output's `flushed` follows its last audio. */
  flush(arrivedAtMs: number): void {
    this.speakHeld(arrivedAtMs);
    this.#stream.mark();
  }

  /** Speaks everything so far as soon as its phrases are complete (`Chunker.trigger`). */
  trigger(arrivedAtMs: number): void {
    this.#add(this.#chunker.trigger(), arrivedAtMs);
  }

  /** The wait for the phrase's end is over: speaks everything so far, if `trigger` asked for any of it. */
  speakTriggered(arrivedAtMs: number): void {
    if (this.#chunker.isTriggered) this.speakHeld(arrivedAtMs);
  }

  /** Speaks everything so far. */
  speakHeld(arrivedAtMs: number): void {
    this.#add(this.#chunker.flush(), arrivedAtMs);
  }

  /** Speaks everything so far and ends. */
  end(arrivedAtMs: number): void {
    this.speakHeld(arrivedAtMs);
    this.#stream.end();
  }

  /** The client is gone, or must go: ends all work, here and in every role. Harmless after the end. */
  cancel(outcome: "cancelled" | "failed" = "cancelled"): void {
    this.#stream.cancel();
    this.#encoding.close();
    this.#finish(outcome);
  }

  #add(pieces: ChunkText[], arrivedAtMs: number): void {
    if (pieces.length === 0 || this.#over) return;
    this.#pieces += pieces.length;
    this.#stream.add(pieces);
    this.#firstAudio.submitted(arrivedAtMs, this.#options.context.clock.nowMs());
  }

  #note(event: StreamEvent): void {
    const { clock } = this.#options.context;
    if (event.type === "text-wanted") return this.#add(this.#chunker.releaseHeld(), clock.nowMs());
    if (event.type === "first-frame") this.#firstAudio.firstFrame(event, clock.nowMs());
    this.#encoding.take(event);
  }

  /** The output, with what it is given measured on the way. */
  #observed(output: SpeechOutput): SpeechOutput {
    return {
      bytes: (bytes) => {
        this.#delivery.bytes();
        const taken = output.bytes(bytes);
        this.#noteFirstBytes();
        return taken;
      },
      encodedTo: (endSeconds) => {
        this.#delivery.encodedTo(endSeconds);
        output.encodedTo?.(endSeconds);
      },
      chunk: (event, sampleRate) => {
        this.#delivery.chunk(event);
        output.chunk?.(event, sampleRate);
      },
      flushed: async () => await output.flushed?.(),
      ended: async () => {
        await output.ended();
        this.#finish("completed");
      },
      failed: (error) => {
        const { context, plan } = this.#options;
        if (this.#firstAudio.totalMs === null) context.overload.note(plan.kind, error);
        output.failed(error);
        this.#finish("failed");
      },
    };
  }

  #noteFirstBytes(): void {
    const { context, route, plan } = this.#options;
    const first = this.#firstAudio.firstBytes(context.clock.nowMs());
    if (first === null) return;
    context.metrics.firstAudio(route, first.totalMs, first.parts);
    context.log.debug(
      { streamId: plan.settings.streamId, route, totalMs: first.totalMs, ...first.parts },
      "first audio",
    );
  }

  #finish(outcome: RequestOutcome): void {
    if (this.#over) return;
    this.#over = true;
    const { context, route } = this.#options;
    const usage = this.#usage(outcome);
    const { model, characters, audioMs, firstAudioMs } = usage;
    context.metrics.audioGiven(route, audioMs);
    context.metrics.streamClosed(route, outcome);
    this.#span.finish({ outcome, model, characters, audioMs, firstAudioMs });
    this.#reportEnd(usage);
  }

  #usageSoFar(): UsageRecord | null {
    return this.#options.output.isWhole === true || this.#delivery.audioMs === 0 ? null : this.#usage("partial");
  }

  #usage(outcome: UsageRecord["outcome"]): UsageRecord {
    const { context, caller, route, plan, output } = this.#options;
    const isGiven = !(output.isWhole === true && outcome === "failed");
    return {
      usageId: this.#usageId,
      teamId: caller.principal.teamId,
      keyId: caller.principal.keyId,
      route,
      model: caller.model.name,
      characters: isGiven ? this.#delivery.characters : 0,
      audioMs: isGiven ? this.#delivery.audioMs : 0,
      firstAudioMs: this.#firstAudio.totalMs,
      totalMs: context.clock.nowMs() - caller.arrivedAtMs,
      outcome,
      traceId: caller.trace.traceId,
      finishedAtMs: Date.now(),
      voiceIds: plan.voiceIds,
    };
  }
}
