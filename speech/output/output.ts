import type { ServiceError } from "#protocol/errors";
import type { StreamEvent } from "../stream/stream-event.js";

/** What describes the text behind the audio. */
export type ChunkEvent = Extract<StreamEvent, { type: "chunk-started" | "words" | "chunk-ended" }>;

/**
 * Where a spoken request goes: one per protocol. Calls come in order, one at a time; after `ended` or `failed` none
 * comes.
 */
export interface SpeechOutput {
  /** Whether the client gets everything at the end only, and nothing of what fails before it. */
  isWhole?: boolean;
  /**
   * Encoded audio, never empty. The promise resolves when the client can take more; until then no new chunk is asked
   * for.
   */
  bytes(bytes: Uint8Array): Promise<void>;
  /**
   * The bytes given from now on hold audio up to this place, seconds from the stream's start; what the encoder pads is
   * not counted.
   */
  encodedTo?(endSeconds: number): void;
  /** Text that the audio given from now on belongs to, its words so far, its end. */
  chunk?(event: ChunkEvent, sampleRate: number): void;
  /** All audio of the text before a `flush` has been given. */
  flushed?(): Promise<void>;
  ended(): Promise<void>;
  failed(error: ServiceError): void;
}
