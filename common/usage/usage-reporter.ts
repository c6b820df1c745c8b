import { type UsageRecord, usageSubject } from "#protocol/bus/control";
import type { Heartbeat } from "#protocol/bus/membership";
import { OPEN_USAGE_INTERVAL_MS, type OpenUsage, openUsageBucket, openUsageName } from "#protocol/bus/open-usage";
import { encodeMsgpack } from "#protocol/msgpack";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { Logger } from "#common/log";

/**
 * Records of requests that were given nothing, refused ones above all, are published together after so long: a refusal
 * is not kept waiting by the record of the one before it, and nobody is charged for them.
 */
export const NOTHING_GIVEN_WAIT_MS = 200;

/** Ends the report of one request: its record is published, unless it has used nothing (null). Call it once. */
export type ReportEnd = (record: UsageRecord | null) => void;

/**
 * Reports what requests use: each once at its end, and all that are under way every second, so that what they were
 * given is charged even if this process dies. One per process.
 */
export class UsageReporter {
  readonly #options: { bus: Bus; clock: Clock; log: Logger; owner: Pick<Heartbeat, "id" | "epoch"> };
  readonly #open = new Set<() => UsageRecord | null>();
  readonly #nothingGiven: UsageRecord[] = [];
  /** What the last object said; empty when there is none. */
  #stored = "";
  #writing: Promise<void> | null = null;
  #cancel: (() => void) | null = null;
  #isFailing = false;
  #isClosed = false;

  constructor(options: { bus: Bus; clock: Clock; log: Logger; owner: Pick<Heartbeat, "id" | "epoch"> }) {
    this.#options = options;
  }

  /** Takes a request that begins. `describe` gives what it has used so far, null for nothing. */
  begin(describe: () => UsageRecord | null): ReportEnd {
    this.#open.add(describe);
    this.#schedule();
    return (record) => {
      this.#open.delete(describe);
      if (record === null) return;
      if (isNothing(record) && !this.#isClosed) this.#putAside(record);
      else this.#options.bus.publish(usageSubject, record);
    };
  }

  /** Reports no more. What requests that are still open have used is left to the control plane. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    this.#publishPutAside();
    await this.#writing;
    await this.#write();
  }

  #putAside(record: UsageRecord): void {
    this.#nothingGiven.push(record);
    if (this.#nothingGiven.length === 1)
      this.#options.clock.after(NOTHING_GIVEN_WAIT_MS, () => this.#publishPutAside());
  }

  #publishPutAside(): void {
    for (const record of this.#nothingGiven.splice(0)) this.#options.bus.publish(usageSubject, record);
  }

  #schedule(): void {
    if (this.#isClosed || this.#cancel !== null || this.#writing !== null) return;
    this.#cancel = this.#options.clock.after(OPEN_USAGE_INTERVAL_MS, () => {
      this.#cancel = null;
      this.#writing = this.#write().finally(() => {
        this.#writing = null;
        if (this.#open.size > 0 || this.#stored !== "") this.#schedule();
      });
    });
  }

  /** Never rejects: what could not be written is written a second later. */
  async #write(): Promise<void> {
    const { bus, owner, log } = this.#options;
    const records = [...this.#open].flatMap((describe) => describe() ?? []);
    const content = records.map(({ usageId, characters, audioMs }) => `${usageId} ${characters} ${audioMs}`).join("\n");
    if (content === this.#stored) return;
    try {
      const bucket = bus.objects(openUsageBucket);
      // The records of requests that ended since come before their absence here: they are on the bus before the control
      // plane can look for them.
      await bus.flush();
      if (records.length === 0) await bucket.delete(openUsageName(owner));
      else await bucket.put(openUsageName(owner), encodeMsgpack({ records } satisfies OpenUsage));
      this.#stored = content;
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log.warn({ err: error }, "what open requests have used could not be reported");
      this.#isFailing = true;
    }
  }
}

function isNothing({ characters, audioMs, conversationMs = 0 }: UsageRecord): boolean {
  return characters === 0 && audioMs === 0 && conversationMs === 0;
}
