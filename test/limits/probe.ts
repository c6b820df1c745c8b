/** How a bound is tried. */
export interface Probe {
  /** Sends, holds or asks for so much; tells what came, in the words of `Limit.beyond`, or of `within`. */
  send(amount: number): Promise<string>;
  /** What comes for as much as may be. */
  within: string;
  /** What is far beyond the bound. Twice as much, where nothing is said. */
  far?: number;
  timeoutMs?: number;
}
