/** Thrown where the bits are none that an encoder writes, or end too early. */
export class DamagedBits extends Error {
  override readonly name = "DamagedBits";
}

/** Leading bits that are there whatever the place in a byte, when four bytes are looked at together. */
const SURE_BITS = 25;

/** Reads a file's bits in order, the highest of each byte first. Throws `DamagedBits` at the end. */
export class BitReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  /** Place of the next bit. */
  #at: number;

  constructor(bytes: Uint8Array, fromByte: number) {
    this.#bytes = bytes;
    this.#end = bytes.length * 8;
    this.#at = fromByte * 8;
  }

  /** Place of the byte in which the next bit lies. */
  get byte(): number {
    return this.#at >> 3;
  }

  /** `count` bits, 0 to 32, as a number from 0. */
  bits(count: number): number {
    if (this.#at + count > this.#end) throw new DamagedBits("the end");
    if (count > SURE_BITS) return this.bits(count - 16) * 65_536 + this.bits(16);
    if (count === 0) return 0;
    const value = this.#look(this.#at) >>> (32 - count);
    this.#at += count;
    return value;
  }

  /** `count` bits, up to 33, as a number in two's complement. */
  signed(count: number): number {
    if (count === 0) return 0;
    const negative = this.bits(1);
    return this.bits(count - 1) - negative * 2 ** (count - 1);
  }

  /** How many zeros lie before the next one, which is read as well. */
  zeros(): number {
    const from = this.#at;
    for (; this.#at < this.#end; this.#at += SURE_BITS) {
      const clear = Math.clz32(this.#look(this.#at));
      if (clear >= SURE_BITS) continue;
      this.#at += clear + 1;
      return this.#at - 1 - from;
    }
    throw new DamagedBits("the end");
  }

  /** Goes on to the next whole byte. */
  align(): void {
    this.#at = (this.#at + 7) & ~7;
  }

  /** `to - from` Rice codes of parameter `low`, folded numbers of either sign, into a part of `into`. */
  rice(into: Float64Array, from: number, to: number, low: number): void {
    let at = this.#at;
    for (let i = from; i < to; i++) {
      const word = this.#look(at);
      const high = Math.clz32(word);
      let folded: number;
      if (high + 1 + low <= SURE_BITS) {
        // Shifted in two steps: by 32 at once would be by nothing at all.
        folded = (high << low) | (((word << (high + 1)) >>> 1) >>> (31 - low));
        at += high + 1 + low;
      } else {
        this.#at = at;
        folded = this.zeros() * 2 ** low + this.bits(low);
        at = this.#at;
      }
      into[i] = folded <= 0x7fff_ffff ? (folded >>> 1) ^ -(folded & 1) : folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
    }
    if (at > this.#end) throw new DamagedBits("the end");
    this.#at = at;
  }

  /** The bits from a place on, at the top of 32; zeros after the end. */
  #look(at: number): number {
    const bytes = this.#bytes;
    const byte = at >> 3;
    const word =
      byte + 4 <= bytes.length
        ? ((bytes[byte] as number) << 24) | ((bytes[byte + 1] as number) << 16) | ((bytes[byte + 2] as number) << 8) | (bytes[byte + 3] as number)
        : ((bytes[byte] ?? 0) << 24) | ((bytes[byte + 1] ?? 0) << 16) | ((bytes[byte + 2] ?? 0) << 8);
    return word << (at & 7);
  }
}
