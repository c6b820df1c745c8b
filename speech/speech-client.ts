import { type EdgeAudioInbound, ownerAudioSubject } from "#protocol/bus/audio";
import type { ServedModel } from "#protocol/bus/membership";
import type { Subscription } from "#common/bus/bus";
import type { SubmissionClient } from "#submission/submission-client";
import { SpeechStream } from "./stream/speech-stream.js";
import type { StreamEvent } from "./stream/stream-event.js";
import type { StreamSettings } from "./stream/stream-settings.js";

/** A role's end of the speech path: one per process. Hands audio to the streams it belongs to. */
export class SpeechClient {
  readonly #client: SubmissionClient;
  readonly #streams = new Map<string, SpeechStream>();
  readonly #audio: Subscription;

  /** `client` stays the caller's. */
  constructor(client: SubmissionClient) {
    this.#client = client;
    this.#audio = client.bus.subscribe<EdgeAudioInbound>(ownerAudioSubject(client.ownerId), (message) =>
      this.#streams.get(message.streamId)?.audio(message),
    );
  }

  /** Streams that are not over. */
  get activeStreams(): number {
    return this.#streams.size;
  }

  /**
   * What live workers serve of these model folders, in the order asked: those that give audio at the rate of the first,
   * which is the rate of a stream.
   */
  servedModels(folders: readonly string[]): ServedModel[] {
    const served = this.#client.cluster.served("speak");
    const found = folders.flatMap((folder) => served.find(({ name }) => name === folder) ?? []);
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
      onOver: () => this.#streams.delete(settings.streamId),
    });
    this.#streams.set(settings.streamId, stream);
    return stream;
  }

  /** Ends all streams and stops receiving audio. */
  close(): void {
    for (const stream of [...this.#streams.values()]) stream.cancel();
    this.#audio.unsubscribe();
  }
}
