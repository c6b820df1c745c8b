import { type EdgeAudioInbound, ownerAudioSubject } from "#protocol/bus/audio";
import type { ServedModel } from "#protocol/bus/membership";
import { ownerVerdictSubject, type Verdict } from "#protocol/bus/scheduling";
import type { Bus, Subscription } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import { ClusterView } from "#common/membership/cluster-view";
import type { Membership, MembershipChange } from "#common/membership/membership";
import { SpeechStream } from "./stream/speech-stream.js";
import type { StreamEvent } from "./stream/stream-event.js";
import type { StreamSettings } from "./stream/stream-settings.js";

/**
 * The edge's end of the speech path: one per process. Hands audio and verdicts to the streams they belong to, and tells
 * streams when a scheduler is lost or the bus was interrupted.
 */
export class SpeechClient {
  /** What this edge knows of the cluster; for others that submit work. */
  readonly cluster: ClusterView;
  readonly #options: { bus: Bus; clock: Clock; ownerId: string };
  readonly #streams = new Map<string, SpeechStream>();
  readonly #subscriptions: Subscription[];

  constructor(options: { bus: Bus; clock: Clock; ownerId: string }) {
    const { bus, clock, ownerId } = options;
    this.#options = options;
    this.#subscriptions = [
      bus.subscribe<EdgeAudioInbound>(ownerAudioSubject(ownerId), (message) =>
        this.#streams.get(message.streamId)?.audio(message),
      ),
      bus.subscribe<Verdict>(ownerVerdictSubject(ownerId), (verdict) =>
        this.#streams.get(verdict.streamId)?.verdict(verdict),
      ),
    ];
    this.cluster = new ClusterView({ bus, clock });
    this.cluster.onChange(({ type, member }) => {
      if (member.role === "scheduler" && type === "lost")
        for (const stream of [...this.#streams.values()]) stream.schedulerLost(member.id);
    });
    bus.onReconnect(() => {
      for (const stream of [...this.#streams.values()]) stream.reconnected();
    });
  }

  get members(): Membership {
    return this.cluster.members;
  }

  /** Streams that are not over. */
  get activeStreams(): number {
    return this.#streams.size;
  }

  /** Hears of every member's coming, change and going. */
  onMemberChange(callback: (change: MembershipChange) => void): void {
    this.cluster.onChange(callback);
  }

  /** What live workers serve of these model folders, in the order asked: those that speak at the rate of the first. */
  servedModels(folders: readonly string[]): ServedModel[] {
    const served = this.cluster.served("speak");
    const found = folders.flatMap((folder) => served.find(({ name }) => name === folder) ?? []);
    return found.filter(({ sampleRate }) => sampleRate === found[0]?.sampleRate);
  }

  /** Opens a stream; its events come to `onEvent` until it ends, fails or is cancelled. */
  open(settings: StreamSettings, onEvent: (event: StreamEvent) => void): SpeechStream {
    const { bus, clock, ownerId } = this.#options;
    const stream = new SpeechStream({
      settings,
      ownerId,
      bus,
      clock,
      chooseScheduler: (keep, avoid) =>
        this.cluster.chooseScheduler({ model: settings.models[0]?.name ?? "", keep, avoid, by: "wait" }),
      onEvent,
      onOver: () => this.#streams.delete(settings.streamId),
    });
    this.#streams.set(settings.streamId, stream);
    return stream;
  }

  /** Ends all streams and stops listening. */
  close(): void {
    for (const stream of [...this.#streams.values()]) stream.cancel();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.cluster.close();
  }
}
