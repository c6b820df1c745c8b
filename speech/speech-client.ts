import { type EdgeAudioInbound, ownerAudioSubject } from "#protocol/bus/audio";
import type { ServedModel } from "#protocol/bus/membership";
import { ownerPromptRequestSubject, type PromptReply, type PromptRequest } from "#protocol/bus/voice-prompts";
import { samplesToBytes } from "#audio/pcm";
import type { Subscription } from "#common/bus/bus";
import type { SubmissionClient } from "#submission/submission-client";
import { SpeechStream } from "./stream/speech-stream.js";
import type { StreamEvent } from "./stream/stream-event.js";
import type { StreamSettings } from "./stream/stream-settings.js";

/**
 * A role's end of the speech path: one per process. Hands audio to the streams it belongs to, and to workers the
 * recordings in whose voices streams speak.
 */
export class SpeechClient {
  readonly #client: SubmissionClient;
  readonly #streams = new Map<string, SpeechStream>();
  /** Recordings of the streams that are not over, by stream. */
  readonly #prompts = new Map<string, ReadonlyMap<string, Int16Array>>();
  readonly #subscriptions: Subscription[];

  /** `client` stays the caller's. */
  constructor(client: SubmissionClient) {
    this.#client = client;
    const { bus, ownerId } = client;
    this.#subscriptions = [
      bus.subscribe<EdgeAudioInbound>(ownerAudioSubject(ownerId), (message) =>
        this.#streams.get(message.streamId)?.audio(message),
      ),
      bus.respond<PromptRequest, PromptReply>(ownerPromptRequestSubject(ownerId), async ({ promptId }) =>
        this.#promptReply(promptId),
      ),
    ];
  }

  /** Streams that are not over. */
  get activeStreams(): number {
    return this.#streams.size;
  }

  /**
   * What live workers serve of these model folders, in the order asked, those that `isFirst` prefers before the others:
   * those that give audio at the rate of the first, which is the rate of a stream.
   */
  servedModels(folders: readonly string[], isFirst?: (model: ServedModel) => boolean): ServedModel[] {
    const served = this.#client.cluster.served("speak");
    const inOrder = folders.flatMap((folder) => served.find(({ name }) => name === folder) ?? []);
    const found =
      isFirst === undefined ? inOrder : [...inOrder.filter(isFirst), ...inOrder.filter((model) => !isFirst(model))];
    return found.filter(({ sampleRate, convertsRate }) => convertsRate === true || sampleRate === found[0]?.sampleRate);
  }

  /** Opens a stream; its events come to `onEvent` until it ends, fails or is cancelled. */
  open(settings: StreamSettings, onEvent: (event: StreamEvent) => void): SpeechStream {
    const model = settings.models[0]?.name ?? "";
    const stream = new SpeechStream({
      settings,
      client: this.#client,
      chooseScheduler: (keep, avoid) => this.#client.cluster.chooseScheduler({ model, keep, avoid, by: "wait" }),
      onEvent,
      onOver: () => {
        this.#streams.delete(settings.streamId);
        this.#prompts.delete(settings.streamId);
      },
    });
    this.#streams.set(settings.streamId, stream);
    if (settings.prompts !== undefined && settings.prompts.size > 0)
      this.#prompts.set(settings.streamId, settings.prompts);
    return stream;
  }

  /** Ends all streams and stops receiving audio. */
  close(): void {
    for (const stream of [...this.#streams.values()]) stream.cancel();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
  }

  #promptReply(promptId: string): PromptReply {
    for (const prompts of this.#prompts.values()) {
      const samples = prompts.get(promptId);
      if (samples !== undefined) return { type: "voice-prompt", pcm: samplesToBytes(samples) };
    }
    return { type: "gone" };
  }
}
