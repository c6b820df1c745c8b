import type { AvailablePhone } from "#protocol/agents/phone";
import type { PhoneRow } from "../tables.js";

/** What to look for in an inventory. */
export interface NumberSearch {
  countryCode: "US" | "CA";
  /** Three digits; null for any. */
  areaCode: string | null;
}

/** Numbers that can be bought. Rejects with ProviderFailure. */
export interface NumberInventory {
  search(query: NumberSearch): Promise<AvailablePhone[]>;
}

/**
 * How far to go to have a number: buy it; buy it unless somebody who died may have done so; or only look whether it was
 * bought.
 */
export type AcquireEffort = "buy" | "resume" | "look";

/** Where numbers come from. Every call rejects with ProviderFailure. */
export interface NumberProvider {
  /** What messages call it. */
  readonly label: string;
  /** What a day of one of its numbers costs, in millionths of a credit; 0 where a team brings its own. */
  readonly dayMicros: number;
  /**
   * Gets a number, and gives what the provider calls it; null where it has no name for it. Done again for the same row
   * it changes nothing, so that whoever comes after one that was killed may just do it.
   */
  acquire(row: PhoneRow, effort: AcquireEffort): Promise<string | null>;
  /** Gives a number back; one that the provider does not have any more is given back. */
  release(row: PhoneRow): Promise<void>;
}

/** A provider did not do what it was asked for. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  constructor(
    /** For people, without anything secret. */
    readonly detail: string,
    /** Whether it is known that nothing was done. */
    readonly isFinal: boolean,
    cause?: unknown,
  ) {
    super(detail, { cause });
  }
}
