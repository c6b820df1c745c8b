import { voicesBucket } from "#protocol/bus/control";
import { sha256Hex } from "#common/identifier";
import type { Logger } from "#common/log";
import { storing } from "../http/answer.js";
import { storedBucket, type ObjectStores } from "../storage/stored-bucket.js";

/** Where the bytes of voices are kept: samples as they were sent, and covers. */
export interface VoiceObjects {
  putSample(voiceId: string, position: number, bytes: Uint8Array): Promise<void>;
  /** Null when the store has lost it. */
  sample(voiceId: string, position: number): Promise<Uint8Array | null>;
  /** What models that clone voices take of the samples (`SavedPrompt`). */
  putPrompt(voiceId: string, pcm: Uint8Array): Promise<void>;
  /** Null where none has been made yet. */
  prompt(voiceId: string): Promise<Uint8Array | null>;
  /** Gives the digest that names it. */
  putCover(voiceId: string, bytes: Uint8Array): Promise<string>;
  cover(voiceId: string, digest: string): Promise<Uint8Array | null>;
  /** Removes what belonged to a voice; what cannot be removed is logged and left. */
  remove(voiceId: string, sampleCount: number, coverDigest: string | null): Promise<void>;
}

/** Keeps them in the bucket `voices`. Every call may throw `dependency_unavailable`, except `remove`. */
export function voiceObjects(stores: ObjectStores, log: Logger): VoiceObjects {
  const bucket = storedBucket(stores, voicesBucket);
  return {
    putSample: (voiceId, position, bytes) => storing(() => bucket.put(sampleName(voiceId, position), bytes)),
    sample: (voiceId, position) => storing(() => bucket.get(sampleName(voiceId, position))),
    putPrompt: (voiceId, pcm) => storing(() => bucket.put(promptName(voiceId), pcm)),
    prompt: (voiceId) => storing(() => bucket.get(promptName(voiceId))),
    async putCover(voiceId, bytes) {
      const digest = sha256Hex(bytes);
      await storing(() => bucket.put(coverName(voiceId, digest), bytes));
      return digest;
    },
    cover: (voiceId, digest) => storing(() => bucket.get(coverName(voiceId, digest))),
    async remove(voiceId, sampleCount, coverDigest) {
      const samples = Array.from({ length: sampleCount }, (_, position) => sampleName(voiceId, position));
      const names = [
        // Without samples only a cover goes.
        ...(sampleCount > 0 ? [...samples, promptName(voiceId)] : []),
        ...(coverDigest === null ? [] : [coverName(voiceId, coverDigest)]),
      ];
      for (const name of names) {
        try {
          await bucket.delete(name);
        } catch (error) {
          log.warn({ err: error, voiceId }, "an object of a voice could not be deleted");
        }
      }
    },
  };
}

const sampleName = (voiceId: string, position: number): string => `${voiceId}/sample-${position}`;
const promptName = (voiceId: string): string => `${voiceId}/prompt`;
const coverName = (voiceId: string, digest: string): string => `${voiceId}/cover-${digest}`;
