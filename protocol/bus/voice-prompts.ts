/**
 * Recordings that models speak in the voice of (`VoicePrompt`). A worker asks for one when its model does not know it
 * yet: the owner of the chunk, or the control plane for one of a saved voice (`controlSubjects.voicePrompt`).
 */

/** Hz. */
export const PROMPT_RATE = 24_000;

/** Of a voice's samples so much is heard, from the beginning. */
export const MAX_PROMPT_SECONDS = 10;

/** Worker to the owner of a chunk: a request for a recording that came with its stream. */
export const ownerPromptRequestSubject = (ownerId: string): string => `parley.owner.${ownerId}.voice-prompts`;

/** Asks for a recording by its id. */
export interface PromptRequest {
  type: "voice-prompt";
  promptId: string;
}

/** Signed 16-bit little-endian mono at `PROMPT_RATE`, or `gone` when no stream needs it any more. */
export type PromptReply = { type: "voice-prompt"; pcm: Uint8Array } | { type: "gone" };

/** Asks for the recording of a saved voice; the answer is a `Reply` of `SavedPrompt`. */
export interface SavedPromptRequest {
  voiceId: string;
}

/** Signed 16-bit little-endian mono at `PROMPT_RATE`. */
export interface SavedPrompt {
  pcm: Uint8Array;
}
