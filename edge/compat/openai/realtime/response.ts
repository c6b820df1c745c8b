import type { OpenAiRealtimeServerEvent } from "#protocol/compat/openai-realtime";
import { ServiceError } from "#protocol/errors";
import type { SpeechRequest } from "#protocol/speech/request";
import { newIdentifier } from "#common/identifier";
import { speakWholeText } from "../../../speech/whole-text.js";
import type { Caller } from "../../../speech/caller.js";
import type { SpeechContext } from "../../../speech/context.js";
import { AUDIO_TOKENS_PER_SECOND, planSpeech } from "../../../speech/plan.js";
import type { ChunkEvent, SpeechOutput } from "#speech/output/output";
import { SpokenRequest } from "../../../speech/spoken-request.js";
import { livePacing } from "#speech/stream/stream-settings";
import { Base64Decoder } from "../../base64-pieces.js";
import { describeItem, newItemId } from "./conversation.js";
import { realtimeErrorBody } from "./realtime-error.js";

export interface RealtimeResponseOptions {
  context: SpeechContext;
  caller: Caller;
  request: SpeechRequest;
  /** Sends an event; resolves when the client can take more. */
  send(type: OpenAiRealtimeServerEvent, fields: Record<string, unknown>): Promise<void>;
  /** Called once, whichever way it ends. */
  onOver(): void;
}

type Status = "in_progress" | "completed" | "cancelled" | "failed";

/**
 * One `response.create`: the events of a spoken answer, in the order of OpenAI's service (docs/protocol.md "Realtime").
 */
export class RealtimeResponse implements SpeechOutput {
  readonly id = `resp_${newIdentifier()}`;
  readonly itemId = newItemId();
  readonly #options: RealtimeResponseOptions;
  readonly #gone = new AbortController();
  readonly #base64 = new Base64Decoder();
  #spoken: SpokenRequest | null = null;
  #transcript = "";
  #seconds = 0;
  #isOver = false;

  constructor(options: RealtimeResponseOptions) {
    this.#options = options;
  }

  /** Starts speaking. Never rejects: what goes wrong ends the response as failed. */
  async run(): Promise<void> {
    const { context, caller, request } = this.#options;
    await this.#send("response.created", { response: this.#describe("in_progress") });
    await this.#send("response.output_item.added", {
      response_id: this.id,
      output_index: 0,
      item: { ...this.#item(), status: "in_progress", content: [] },
    });
    await this.#sendPart("response.content_part.added", { part: { type: "audio", transcript: "" } });
    try {
      const plan = await planSpeech({ request, caller, context, pacing: livePacing, isAwaited: true });
      if (this.#isOver) return;
      this.#spoken = new SpokenRequest({ context, caller, plan, route: "/compat/realtime", output: this });
      await speakWholeText(this.#spoken, request.text, context.clock.nowMs(), this.#gone.signal);
    } catch (error) {
      this.#spoken?.cancel("failed");
      this.failed(error instanceof ServiceError ? error : new ServiceError("internal", { cause: error }));
    }
  }

  /** Ends it where it is: `response.done` tells that it was cancelled. */
  cancel(): void {
    if (this.#isOver) return;
    this.#gone.abort();
    this.#spoken?.cancel();
    void this.#finish("cancelled", {});
  }

  /** The socket is gone. */
  drop(): void {
    this.#isOver = true;
    this.#gone.abort();
    this.#spoken?.cancel();
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    const delta = this.#base64.add(bytes);
    if (delta !== "" && !this.#isOver) await this.#sendPart("response.output_audio.delta", { delta });
  }

  chunk(event: ChunkEvent, sampleRate: number): void {
    if (this.#isOver) return;
    if (event.type === "chunk-ended") this.#seconds += event.samples / sampleRate;
    if (event.type !== "chunk-started") return;
    const delta = this.#transcript === "" ? event.text : ` ${event.text}`;
    this.#transcript += delta;
    void this.#sendPart("response.output_audio_transcript.delta", { delta });
  }

  async ended(): Promise<void> {
    if (this.#isOver) return;
    const delta = this.#base64.end();
    if (delta !== "") await this.#sendPart("response.output_audio.delta", { delta });
    await this.#sendPart("response.output_audio.done", {});
    await this.#sendPart("response.output_audio_transcript.done", { transcript: this.#transcript });
    await this.#sendPart("response.content_part.done", { part: { type: "audio", transcript: this.#transcript } });
    await this.#send("response.output_item.done", { response_id: this.id, output_index: 0, item: this.#item() });
    await this.#finish("completed", {});
  }

  failed(error: ServiceError): void {
    if (!this.#isOver)
      void this.#finish("failed", { status_details: { type: "failed", error: realtimeErrorBody(error) } });
  }

  async #finish(status: Status, details: Record<string, unknown>): Promise<void> {
    this.#isOver = true;
    this.#options.onOver();
    await this.#options.send("response.done", { response: { ...this.#describe(status), ...details } });
  }

  #describe(status: Status): Record<string, unknown> {
    const outputTokens = Math.round(this.#seconds * AUDIO_TOKENS_PER_SECOND);
    const inputTokens = this.#options.request.text.length;
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: inputTokens + outputTokens };
    const isDone = status !== "in_progress";
    return {
      id: this.id,
      object: "realtime.response",
      status,
      output: status === "completed" ? [this.#item()] : [],
      usage: isDone ? usage : null,
    };
  }

  #item(): Record<string, unknown> {
    return describeItem({ id: this.itemId, role: "assistant", text: this.#transcript, isSpoken: true });
  }

  async #sendPart(type: OpenAiRealtimeServerEvent, fields: Record<string, unknown>): Promise<void> {
    await this.#send(type, {
      response_id: this.id,
      item_id: this.itemId,
      output_index: 0,
      content_index: 0,
      ...fields,
    });
  }

  async #send(type: OpenAiRealtimeServerEvent, fields: Record<string, unknown>): Promise<void> {
    if (!this.#isOver) await this.#options.send(type, fields);
  }
}
