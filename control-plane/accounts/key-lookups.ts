import { VERIFY_TIMEOUT_MS } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { Semaphore } from "#common/semaphore";

/** Questions about unknown keys that are worked on at once, and that may wait. */
const AT_ONCE = 8;
const MAX_WAITING = 512;

/** How long a question may wait: its edge gives up soon after. */
const MAX_WAIT_MS = VERIFY_TIMEOUT_MS - 500;

/**
 * Holds questions about keys that their edge does not know, which may be anybody's guess, behind those about keys in
 * use: of the former few are worked on at once, and none that its edge does not wait for any more.
 */
export class KeyLookups {
  readonly #places = new Semaphore(AT_ONCE);
  readonly #maxWaitMs: number;

  constructor(maxWaitMs = MAX_WAIT_MS) {
    this.#maxWaitMs = maxWaitMs;
  }

  /** Runs a look-up when its turn comes. Throws `overloaded` when that is too late, or when too many wait. */
  async run<T>(isKnown: boolean, lookUp: () => Promise<T>): Promise<T> {
    if (isKnown) return await lookUp();
    if (this.#places.waiting >= MAX_WAITING) throw new ServiceError("overloaded");
    const release = await this.#places.take(AbortSignal.timeout(this.#maxWaitMs)).catch((cause: unknown) => {
      throw new ServiceError("overloaded", { cause });
    });
    try {
      return await lookUp();
    } finally {
      release();
    }
  }
}
