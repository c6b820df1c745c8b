import { ServiceError } from "#protocol/errors";
import { limits } from "#protocol/limit-table";
import { addressGroup } from "#common/address";
import type { Clock } from "#common/clock";
import { type Rate, TokenBucket } from "#common/token-bucket";

/** Bounds of the questions about keys that this edge does not know. */
export interface LookupBounds {
  /** Wrong keys from one address. */
  refusals: Rate;
  /** Questions under way, from one address and from all. */
  underWayPerAddress: number;
  inFlight: number;
  /** Addresses remembered; past it the one unused for longest is forgotten. */
  addresses: number;
}

export const lookupBounds: LookupBounds = {
  refusals: { burst: limits.wrongKeys.most, perSecond: 3 },
  underWayPerAddress: 16,
  inFlight: 64,
  addresses: 10_000,
};

interface Asker {
  bucket: TokenBucket;
  inFlight: number;
}

/**
 * Who may ask about unknown keys, and how often. Somebody who tries keys at random would otherwise fill the control
 * plane with questions, and the answers about good keys would come too late. Only wrong keys count against an address:
 * many good ones may come from behind one proxy.
 */
export class LookupLimits {
  readonly #bounds: LookupBounds;
  readonly #clock: Clock;
  /** The most recently used last. */
  readonly #askers = new Map<string, Asker>();
  #inFlight = 0;

  constructor(bounds: LookupBounds, clock: Clock) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** Begins a question; the returned function ends it, once. Throws `too_many_requests`. */
  begin(address: string): (wasRefused: boolean) => void {
    const asker = this.#asker(address);
    const isAllowed = this.#inFlight < this.#bounds.inFlight && asker.inFlight < this.#bounds.underWayPerAddress;
    // Taken now and given back for a good key: questions under way count as refused until they are answered.
    if (!isAllowed || !asker.bucket.take(this.#clock.nowMs())) throw new ServiceError("too_many_requests");
    asker.inFlight++;
    this.#inFlight++;
    let isOver = false;
    return (wasRefused) => {
      if (isOver) return;
      isOver = true;
      asker.inFlight--;
      this.#inFlight--;
      if (!wasRefused) asker.bucket.giveBack();
    };
  }

  #asker(client: string): Asker {
    const address = addressGroup(client);
    const known = this.#askers.get(address);
    const asker = known ?? { bucket: new TokenBucket(this.#bounds.refusals, this.#clock.nowMs()), inFlight: 0 };
    this.#askers.delete(address);
    this.#askers.set(address, asker);
    const oldest = this.#askers.keys().next();
    if (this.#askers.size > this.#bounds.addresses && oldest.done !== true) this.#askers.delete(oldest.value);
    return asker;
  }
}
