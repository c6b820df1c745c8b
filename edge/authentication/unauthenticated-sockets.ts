import { ServiceError } from "#protocol/errors";
import { limits } from "#protocol/limit-table";
import { addressGroup } from "#common/address";

/** Most sockets at once whose key is not known yet, from one client address (`addressGroup`) and from all. */
const unauthenticatedSocketBounds = {
  perAddress: limits.socketsWithoutKeyPerAddress.most,
  total: limits.socketsWithoutKey.most,
} as const;

/** Counts the sockets that were opened without a key and have not brought one yet. */
export class UnauthenticatedSockets {
  readonly #bounds: { perAddress: number; total: number };
  readonly #open = new Map<string, number>();
  #total = 0;

  constructor(bounds: { perAddress: number; total: number } = unauthenticatedSocketBounds) {
    this.#bounds = bounds;
  }

  /**
   * Throws `too_many_requests` when the address has its share open, `overloaded` when all addresses together have
   * theirs.
   */
  check(address: string): void {
    if ((this.#open.get(addressGroup(address)) ?? 0) >= this.#bounds.perAddress)
      throw new ServiceError("too_many_requests");
    if (this.#total >= this.#bounds.total) throw new ServiceError("overloaded");
  }

  /** Takes a place; the returned function gives it back, once. Throws what `check` throws. */
  take(address: string): () => void {
    this.check(address);
    const group = addressGroup(address);
    this.#open.set(group, (this.#open.get(group) ?? 0) + 1);
    this.#total++;
    let isGiven = false;
    return () => {
      if (isGiven) return;
      isGiven = true;
      this.#total--;
      const left = (this.#open.get(group) ?? 1) - 1;
      if (left === 0) this.#open.delete(group);
      else this.#open.set(group, left);
    };
  }
}
