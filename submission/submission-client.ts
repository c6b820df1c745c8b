import { ownerVerdictSubject, type Verdict } from "#protocol/bus/scheduling";
import type { Bus, Subscription } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import { ClusterView } from "#common/membership/cluster-view";
import { SubmissionStream, type SubmissionStreamOptions } from "./submission-stream.js";

/**
 * A role's end of the way to the schedulers: one per process, for everything that it submits. Hands verdicts to the
 * streams they belong to, and tells streams when a scheduler is lost or the bus was interrupted. `ownerId` is the
 * role's member id.
 */
export class SubmissionClient {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ownerId: string;
  /** What this role knows of the cluster. */
  readonly cluster: ClusterView;
  readonly #streams = new Map<string, SubmissionStream>();
  readonly #verdicts: Subscription;

  constructor({ bus, clock, ownerId }: { bus: Bus; clock: Clock; ownerId: string }) {
    this.bus = bus;
    this.clock = clock;
    this.ownerId = ownerId;
    this.cluster = new ClusterView({ bus, clock });
    this.#verdicts = bus.subscribe<Verdict>(ownerVerdictSubject(ownerId), (verdict) =>
      this.#streams.get(verdict.streamId)?.verdict(verdict),
    );
    this.cluster.onChange(({ type, member }) => {
      if (member.role === "scheduler" && type === "lost")
        for (const stream of [...this.#streams.values()]) stream.schedulerLost(member.id);
    });
    bus.onReconnect(() => {
      for (const stream of [...this.#streams.values()]) stream.reconnected();
    });
  }

  /** Runs a stream's submissions until it is closed. `streamId` must be unique in the cluster. */
  open(streamId: string, options: SubmissionStreamOptions): SubmissionStream {
    const { bus, clock } = this;
    const stream = new SubmissionStream(options, { bus, clock, onClosed: () => this.#streams.delete(streamId) });
    this.#streams.set(streamId, stream);
    return stream;
  }

  /** Cancels everything that is still out and stops receiving. */
  close(): void {
    for (const stream of [...this.#streams.values()]) stream.close();
    this.#verdicts.unsubscribe();
    this.cluster.close();
  }
}
