import type { SpeechChunk, VoiceSettings } from "#protocol/speech/chunk";
import { Submission } from "#submission/submission";
import type { ChunkText } from "../chunking/chunker.js";
import { speakingVoice } from "../voice/model.js";
import { chunkSeed } from "../voice/seed.js";
import { ChunkAssembler } from "./chunk-assembler.js";
import type { StreamSettings } from "./stream-settings.js";

/** One unfinished chunk of a stream: what is to be spoken, where it is at work, what has come of it. */
export class ChunkWork extends Submission {
  readonly assembler = new ChunkAssembler();
  readonly textBytes: number;
  /** Whether its audio has begun to be given. */
  started = false;
  receivedAudio = false;
  readonly #context: { settings: StreamSettings; ownerId: string };

  constructor(
    readonly piece: ChunkText,
    chunkIndex: number,
    addedAtMs: number,
    context: { settings: StreamSettings; ownerId: string },
  ) {
    super(chunkIndex, addedAtMs);
    this.#context = context;
    this.textBytes = Buffer.byteLength(piece.text);
  }

  /** Samples that came and were not given yet: all of them until the chunk's turn comes. */
  get untakenSamples(): number {
    return this.started ? 0 : this.assembler.samples;
  }

  override chunk(): SpeechChunk {
    const { settings, ownerId } = this.#context;
    const { text, delivery, pauseAfterMs, speaker } = this.piece;
    // Never empty by contract (StreamSettings.voices).
    const asked = (settings.voices[speaker] ?? settings.voices[0]) as VoiceSettings;
    const { model, voice } = speakingVoice(settings.models, text, asked);
    return {
      task: "speak",
      streamId: settings.streamId,
      chunkIndex: this.chunkIndex,
      attempt: this.attempt,
      ownerId,
      model,
      text,
      normalize: settings.normalize,
      voice,
      delivery,
      sampling: settings.sampling,
      pauseAfterMs,
      seed: chunkSeed(settings.seedBase, this.chunkIndex, text),
      maxSamples: settings.maxSamples,
      ...(settings.sampleRate === undefined ? {} : { sampleRate: settings.sampleRate }),
      traceparent: settings.traceparent,
    };
  }
}
