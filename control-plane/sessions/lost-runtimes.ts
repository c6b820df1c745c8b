import { MEMBER_TIMEOUT_MS } from "#protocol/bus/membership";
import type { MembershipChange } from "#common/membership/membership";
import type { AgentRuntimes, Runtime } from "./agent-runtimes.js";

/** How long this process must have known who lives before it misses anybody of whom it never heard. */
const ACQUAINTANCE_MS = 2 * MEMBER_TIMEOUT_MS;

/** Processes remembered as lost. */
const MOST_REMEMBERED = 1000;

/**
 * Says which runtimes are gone for good. One that was seen and was lost is gone at once; one that was never seen, since
 * it died before this process began, is when it has not shown itself for a while.
 */
export class LostRuntimes {
  readonly #runtimes: Pick<AgentRuntimes, "isAlive">;
  readonly #nowMs: () => number;
  readonly #lost = new Set<string>();
  /** Since when each runtime that was asked about has been missing. */
  readonly #missing = new Map<string, number>();
  #sinceMs: number;

  constructor(runtimes: Pick<AgentRuntimes, "isAlive">, nowMs: () => number) {
    this.#runtimes = runtimes;
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
  }

  /** Takes in a change of the members; true where a runtime was lost. */
  noted({ type, member }: MembershipChange): boolean {
    if (type !== "lost" || member.role !== "agent") return false;
    this.#lost.add(keyOf(member));
    const [oldest] = this.#lost;
    if (this.#lost.size > MOST_REMEMBERED && oldest !== undefined) this.#lost.delete(oldest);
    return true;
  }

  /** The bus was away: nobody could be heard of, and everybody gets time again to be. */
  interrupted(): void {
    this.#sinceMs = this.#nowMs();
    this.#missing.clear();
  }

  isGone(runtime: Runtime): boolean {
    const key = keyOf(runtime);
    if (this.#runtimes.isAlive(runtime)) {
      this.#missing.delete(key);
      this.#lost.delete(key);
      return false;
    }
    if (this.#lost.has(key)) return true;
    const nowMs = this.#nowMs();
    const sinceMs = this.#missing.get(key) ?? nowMs;
    this.#missing.set(key, sinceMs);
    return nowMs - Math.max(sinceMs, this.#sinceMs) >= ACQUAINTANCE_MS;
  }
}

const keyOf = ({ id, epoch }: Runtime): string => `${id}/${epoch}`;
