import { type EdgeAudioInbound, edgeAudioSubject } from "#protocol/bus/audio";
import type { Heartbeat, ServedModel } from "#protocol/bus/membership";
import { edgeVerdictSubject, type Verdict } from "#protocol/bus/scheduling";
import type { Bus, Subscription } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import { followMembers } from "#common/membership/heartbeat";
import type { Membership, MembershipChange } from "#common/membership/membership";
import { chooseScheduler } from "./stream/scheduler-choice.js";
import { SpeechStream } from "./stream/speech-stream.js";
import type { StreamEvent } from "./stream/stream-event.js";
import type { StreamSettings } from "./stream/stream-settings.js";

/**
 * The edge's end of the speech path: one per process. Hands audio and verdicts to the streams they belong to, and tells streams when a
 * scheduler is lost or the bus was interrupted.
 */
export class SpeechBus {
  readonly members: Membership;
  readonly #options: { bus: Bus; clock: Clock; edgeId: string };
  readonly #streams = new Map<string, SpeechStream>();
  readonly #subscriptions: Subscription[];
  readonly #stopMembers: () => void;
  readonly #memberListeners: ((change: MembershipChange) => void)[] = [];
  readonly #sentSinceHeartbeat = new Map<string, number>();
  /** Schedulers heard since the bus was last restored: one that is not connected again yet would never get what is sent to it. */
  readonly #reachable = new Set<string>();

  constructor(options: { bus: Bus; clock: Clock; edgeId: string }) {
    const { bus, clock, edgeId } = options;
    this.#options = options;
    this.#subscriptions = [
      bus.subscribe<EdgeAudioInbound>(edgeAudioSubject(edgeId), (message) => this.#streams.get(message.streamId)?.audio(message)),
      bus.subscribe<Verdict>(edgeVerdictSubject(edgeId), (verdict) => this.#streams.get(verdict.streamId)?.verdict(verdict)),
    ];
    const followed = followMembers({ bus, clock, onChange: (change) => this.#memberChanged(change) });
    this.members = followed.members;
    this.#stopMembers = followed.stop;
    bus.onReconnect(() => {
      this.#reachable.clear();
      for (const stream of [...this.#streams.values()]) stream.reconnected();
    });
  }

  /** Streams that are not over. */
  get activeStreams(): number {
    return this.#streams.size;
  }

  /** Hears of every member's coming, change and going. */
  onMemberChange(listener: (change: MembershipChange) => void): void {
    this.#memberListeners.push(listener);
  }

  /** What live workers serve under a model folder's name; null when none does. */
  servedModel(model: string): ServedModel | null {
    for (const worker of this.members.ofRole("worker")) {
      const served = worker.models.find((candidate) => candidate.name === model && candidate.task === "speak");
      if (served !== undefined && worker.state === "ready") return served;
    }
    return null;
  }

  /** Opens a stream; its events come to `onEvent` until it ends, fails or is cancelled. */
  open(settings: StreamSettings, onEvent: (event: StreamEvent) => void): SpeechStream {
    const { bus, clock, edgeId } = this.#options;
    const stream = new SpeechStream({
      settings,
      edgeId,
      bus,
      clock,
      chooseScheduler: (keep, avoid) => this.#choose(settings.model, keep, avoid),
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
    this.#stopMembers();
  }

  #choose(model: string, keep: string | null, avoid: string | null): string | null {
    if (!this.#options.bus.isConnected()) return null;
    const schedulers = this.members.ofRole("scheduler").filter((scheduler) => this.#reachable.has(scheduler.id));
    const chosen = chooseScheduler({ schedulers, model, keep, avoid, sentSinceHeartbeat: this.#sentSinceHeartbeat });
    if (chosen !== null) this.#sentSinceHeartbeat.set(chosen, (this.#sentSinceHeartbeat.get(chosen) ?? 0) + 1);
    return chosen;
  }

  #memberChanged(change: MembershipChange): void {
    const member: Heartbeat = change.member;
    if (member.role === "scheduler") {
      this.#sentSinceHeartbeat.delete(member.id);
      if (change.type === "lost") this.#reachable.delete(member.id);
      else this.#reachable.add(member.id);
      if (change.type === "lost") for (const stream of [...this.#streams.values()]) stream.schedulerLost(member.id);
    }
    for (const listener of this.#memberListeners) listener(change);
  }
}
