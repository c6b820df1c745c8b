import { ServiceError } from "#protocol/errors";
import type { Clock } from "#common/clock";

export interface MemoryLimits {
  /** Memory that all together may take. */
  totalBytes: number;
  /** What may come unasked of all that grow at once. */
  growingBytes: number;
  /** The same of those that wait until they may grow. */
  waitingBytes: number;
  /** How often each byte lies in memory while its account grows. */
  copies: number;
  /** How long somebody may wait until he may grow, or an account for room, at a stretch. */
  maxWaitMs: number;
}

/**
 * Up to this an account does not stand back for the older ones of its team; of all that grow at once it leaves one
 * file's room.
 */
const SMALL_BYTES = 512 * 1024;

export interface AccountOptions {
  /** Who shares. */
  teamId: string;
  /** How large it will probably become. */
  expectedBytes: number;
  /** So much of it may come before it can be held up; it is in memory, and in no account. */
  unaskedBytes: number;
  /** Nobody waits for it any more. */
  signal: AbortSignal;
}

/** What one request holds in memory. */
export interface MemoryAccount {
  /**
   * It holds so much more. Resolves when there is room for more; throws `overloaded` when there is none in time, or the
   * reason of the signal.
   */
  add(bytes: number): Promise<void>;
  /**
   * It grows no more, and `storedBytes` of it are needed further; another may grow in its place. May be called again
   * with less.
   */
  complete(storedBytes: number): void;
  /** Nothing of it is held any more. May be called twice. */
  close(): void;
}

interface Entry extends AccountOptions {
  stage: "queued" | "growing" | "complete";
  heldBytes: number;
  /** Lets it go on, while it waits. */
  proceed: (() => void) | null;
}

/**
 * Bounds the memory that one process spends on one kind of thing: files on their way in, answers on their way out. Each
 * counts by what is there of it, not by what is announced: one that comes slowly takes little from the others. Who
 * finds no room waits, and so does what makes it grow.
 *
 * Teams share: of memory, and of what may come unasked, a team gets at most half of what the others leave, so that
 * there is always some for one that comes. Within a team an account stands back for the older ones that are still to
 * grow, or they would all stop halfway; one that is alone gets what it needs.
 */
export class MemoryBudget {
  readonly #clock: Clock;
  readonly #limits: MemoryLimits;
  /** In order of arrival. */
  readonly #entries = new Set<Entry>();

  constructor(limits: MemoryLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Resolves when it may grow. Throws `overloaded` when it may not in time; rejects with the reason of the signal. */
  async open(options: AccountOptions): Promise<MemoryAccount> {
    options.signal.throwIfAborted();
    const isQueued = (other: Entry): boolean => other.stage === "queued";
    if (!this.#hasShare(options, this.#limits.waitingBytes, isQueued)) throw new ServiceError("overloaded");
    const entry: Entry = { ...options, stage: "queued", heldBytes: 0, proceed: null };
    this.#entries.add(entry);
    if (this.#mayGrow(entry)) entry.stage = "growing";
    else await this.#wait(entry);
    return {
      add: async (bytes) => {
        entry.heldBytes += this.#limits.copies * bytes;
        if (!this.#hasRoom(entry)) await this.#wait(entry);
      },
      complete: (storedBytes) => {
        entry.stage = "complete";
        entry.heldBytes = storedBytes;
        this.#goOn();
      },
      close: () => this.#remove(entry),
    };
  }

  /** Memory that is taken now. */
  get heldBytes(): number {
    return this.#sum(() => true);
  }

  #wait(entry: Entry): Promise<void> {
    return new Promise((resolve, reject) => {
      const { signal } = entry;
      const giveUp = (reason: unknown): void => {
        stop();
        this.#remove(entry);
        reject(reason);
      };
      const leave = (): void => giveUp(signal.reason);
      const cancelTimer = this.#clock.after(this.#limits.maxWaitMs, () => giveUp(new ServiceError("overloaded")));
      const stop = (): void => {
        entry.proceed = null;
        cancelTimer();
        signal.removeEventListener("abort", leave);
      };
      entry.proceed = () => {
        stop();
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
    });
  }

  #remove(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#goOn();
  }

  /** Lets those go on that can, the oldest first. */
  #goOn(): void {
    for (const entry of this.#entries) {
      if (entry.proceed === null) continue;
      if (entry.stage === "queued" && this.#mayGrow(entry)) {
        entry.stage = "growing";
        entry.proceed();
      } else if (entry.stage === "growing" && this.#hasRoom(entry)) {
        entry.proceed();
      }
    }
  }

  #mayGrow(entry: Entry): boolean {
    return this.#hasShare(entry, this.#limits.growingBytes, (other) => other.stage === "growing");
  }

  /** Whether one more may come, of all of which `total` may come unasked. */
  #hasShare({ teamId, unaskedBytes }: AccountOptions, total: number, counts: (entry: Entry) => boolean): boolean {
    let [own, others] = [0, 0];
    for (const entry of this.#entries) {
      if (!counts(entry)) continue;
      if (entry.teamId === teamId) own += entry.unaskedBytes;
      else others += entry.unaskedBytes;
    }
    return own + unaskedBytes <= Math.ceil(shareOf(total, others));
  }

  /** Whether an account that holds what it holds may grow. */
  #hasRoom(entry: Entry): boolean {
    const isOwn = (other: Entry): boolean => other.teamId === entry.teamId;
    if (this.#sum((other) => other !== entry) === 0) return true;
    const toCome = entry.heldBytes <= SMALL_BYTES ? 0 : this.#toComeUpTo(entry);
    return (
      this.#sum(isOwn) + toCome <=
      shareOf(
        this.#limits.totalBytes,
        this.#sum((other) => !isOwn(other)),
      )
    );
  }

  /**
   * What is still to come of an account and of the older ones of its team; of the oldest any length is let in, as far
   * as there is room.
   */
  #toComeUpTo(entry: Entry): number {
    const own = [...this.#entries].filter((other) => other.teamId === entry.teamId && other.stage === "growing");
    const position = own.indexOf(entry);
    const remaining = own
      .slice(0, position + 1)
      .map((other) => Math.max(0, this.#limits.copies * other.expectedBytes - other.heldBytes));
    return position === 0 ? 0 : remaining.reduce((sum, bytes) => sum + bytes, 0);
  }

  #sum(counts: (entry: Entry) => boolean): number {
    let sum = 0;
    for (const entry of this.#entries) if (counts(entry)) sum += entry.heldBytes;
    return sum;
  }
}

/** Half of what the others leave. */
function shareOf(total: number, heldByOthers: number): number {
  return (total - heldByOthers) / 2;
}
