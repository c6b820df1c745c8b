import { ServiceError } from "#protocol/errors";
import { withWavLength } from "#audio/encoding/pcm-codec";
import { heldAnswerLimits } from "#protocol/limits";
import { opusBitsPerSecond, speechDefaults, type SpeechRequest } from "#protocol/speech/request";
import type { HttpResponder } from "../http/exchange.js";
import type { MemoryAccount, MemoryBudget } from "../memory/memory-budget.js";
import { Base64Decoder } from "./base64-pieces.js";
import { TextBlocks } from "./text-blocks.js";

/** So much of an answer comes after it was held up: what is being spoken and encoded, eight seconds and more. */
const UNASKED_BYTES = 1024 * 1024;

export interface HeldAnswerOptions {
  /** What all answers of the process share. */
  heldAnswers: MemoryBudget;
  teamId: string;
  request: SpeechRequest;
  responder: HttpResponder;
  /** The field of the text, as the caller's protocol names it. */
  textField: string;
  /** What to do instead, in the words of the caller's protocol. */
  instead: string;
}

/**
 * Speaks a request whose answer is one object, which must be complete before the first byte can be sent. Throws
 * `answer_too_long` for a text or audio beyond `heldAnswerLimits`, `overloaded` when there is no memory for it in time,
 * and what `speak` throws.
 */
export async function holdAnswer(
  options: HeldAnswerOptions,
  speak: (answer: HeldAnswer) => Promise<void>,
): Promise<void> {
  const { heldAnswers, teamId, request, responder, textField, instead } = options;
  if (request.text.length > heldAnswerLimits.characters) {
    const detail = `its text may have ${heldAnswerLimits.characters} characters; ${instead}`;
    throw new ServiceError("answer_too_long", { parameters: { detail, parameter: textField } });
  }
  const expectedBytes = expectedAnswerBytes(request);
  const unaskedBytes = Math.min(expectedBytes, UNASKED_BYTES);
  const account = await heldAnswers.open({ teamId, expectedBytes, unaskedBytes, signal: responder.closed });
  try {
    await speak(new HeldAnswer(account, responder, { instead, isWav: request.format === "wav" }));
  } finally {
    account.close();
  }
}

/** An answer that grows in memory, encoded as it will be sent. */
export class HeldAnswer {
  readonly #account: MemoryAccount;
  readonly #responder: HttpResponder;
  readonly #instead: string;
  readonly #base64 = new Base64Decoder();
  readonly #head: WavHead | null;
  readonly #audio = new TextBlocks();
  readonly #texts: TextBlocks[] = [];
  #countedBytes = 0;

  /**
   * `instead` is said to a caller whose answer becomes too long. A WAV file of an answer says how long it is, since all of
   * it is there before any of it is sent.
   */
  constructor(account: MemoryAccount, responder: HttpResponder, options: { instead: string; isWav: boolean }) {
    const { instead, isWav } = options;
    this.#account = account;
    this.#responder = responder;
    this.#instead = instead;
    this.#head = isWav ? new WavHead() : null;
  }

  /**
   * Takes encoded audio in; resolves when there is memory for more. Throws `answer_too_long`, and what
   * `MemoryAccount.add` throws.
   */
  async audio(bytes: Uint8Array): Promise<void> {
    this.#audio.appendAscii(this.#base64.add(this.#head === null ? bytes : this.#head.takeFrom(bytes)));
    const grownBytes = this.#heldBytes() - this.#countedBytes;
    this.#countedBytes += grownBytes;
    if (this.#countedBytes > heldAnswerLimits.bytes) {
      const detail = `its audio may take ${heldAnswerLimits.bytes} bytes in base64; ask for a smaller format, or ${this.#instead}`;
      throw new ServiceError("answer_too_long", { parameters: { detail } });
    }
    if (grownBytes > 0) await this.#account.add(grownBytes);
  }

  /** Opens text beside the audio, which is counted with the next of it. */
  openText(): TextBlocks {
    const text = new TextBlocks();
    this.#texts.push(text);
    return text;
  }

  /**
   * Sends the answer as JSON: `before` the audio, the audio, and `after` it; `before` ends, and `after` begins, with
   * the quotation mark around it.
   */
  async send(before: string, after: Iterable<string | Uint8Array>): Promise<void> {
    this.#audio.appendAscii(this.#base64.end());
    this.#responder.begin(200, { "content-type": "application/json" });
    for (const piece of this.#pieces(before, after)) {
      if (this.#responder.closed.aborted) return;
      if (!this.#responder.write(typeof piece === "string" ? Buffer.from(piece) : piece))
        await this.#responder.writable();
      // What waits for a slow client is held until it has been taken.
      this.#account.complete(this.#heldBytes());
    }
    this.#responder.end();
  }

  *#pieces(before: string, after: Iterable<string | Uint8Array>): Generator<string | Uint8Array> {
    yield before;
    if (this.#head !== null) yield this.#head.base64();
    yield* this.#audio.drain();
    yield* after;
  }

  #heldBytes(): number {
    return this.#texts.reduce((sum, text) => sum + text.heldBytes, this.#audio.heldBytes);
  }
}

/** So much of a file makes base64 that nothing has to be added to: its header and a byte more. */
const HEAD_BYTES = 45;

/** The beginning of a WAV file, held back until its length is known. */
class WavHead {
  #bytes: Uint8Array = new Uint8Array();
  #fileBytes = 0;

  /** Takes its part of the next bytes of the file; gives the others. */
  takeFrom(bytes: Uint8Array): Uint8Array {
    this.#fileBytes += bytes.byteLength;
    const taken = bytes.subarray(0, HEAD_BYTES - this.#bytes.byteLength);
    if (taken.byteLength > 0) this.#bytes = Buffer.concat([this.#bytes, taken]);
    return bytes.subarray(taken.byteLength);
  }

  /** The beginning, with the length of the whole file in it. */
  base64(): string {
    return Buffer.from(withWavLength(this.#bytes, this.#fileBytes)).toString("base64");
  }
}

/** A slow voice reads so many characters a second. */
const SLOW_CHARACTERS_PER_SECOND = 10;

/**
 * How large the answer to a request will probably be at most, bytes: younger ones of its team leave room for as much.
 */
export function expectedAnswerBytes(
  request: Pick<SpeechRequest, "text" | "format" | "sample_rate" | "mp3_bitrate" | "opus_bitrate" | "prosody">,
): number {
  const seconds =
    1 + request.text.length / (SLOW_CHARACTERS_PER_SECOND * (request.prosody?.speed ?? speechDefaults.speed));
  return Math.min(heldAnswerLimits.bytes, Math.ceil((seconds * audioBytesPerSecond(request) * 4) / 3));
}

function audioBytesPerSecond({
  format = speechDefaults.format,
  sample_rate,
  mp3_bitrate,
  opus_bitrate,
}: Pick<SpeechRequest, "format" | "sample_rate" | "mp3_bitrate" | "opus_bitrate">): number {
  if (format === "mp3") return (mp3_bitrate ?? speechDefaults.mp3_bitrate) * 125;
  if (format === "opus") return (opusBitsPerSecond(opus_bitrate) ?? 64_000) / 8;
  return 2 * (sample_rate ?? 44_100);
}
