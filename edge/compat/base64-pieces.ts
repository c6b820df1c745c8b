/**
 * Turns bytes into base64 piece by piece: every piece is valid alone, and all joined are the base64 of the whole, since
 * each but the last holds a multiple of three bytes.
 */
export class Base64Decoder {
  #rest = Buffer.alloc(0);

  /** Base64 of what is complete; empty when that is nothing. */
  add(bytes: Uint8Array): string {
    const all = Buffer.concat([this.#rest, bytes]);
    const whole = all.length - (all.length % 3);
    this.#rest = all.subarray(whole);
    return all.toString("base64", 0, whole);
  }

  /** The last one or two bytes; empty when there are none. */
  end(): string {
    const last = this.#rest.toString("base64");
    this.#rest = Buffer.alloc(0);
    return last;
  }
}
