import { controlSubjects, type Reply } from "#protocol/bus/control";
import {
  MAX_PROMPT_SECONDS,
  ownerPromptRequestSubject,
  PROMPT_RATE,
  type PromptReply,
  type PromptRequest,
  type SavedPrompt,
  type SavedPromptRequest,
} from "#protocol/bus/voice-prompts";
import { fromErrorRecord, ServiceError } from "#protocol/errors";
import type { VoicePrompt } from "#protocol/speech/chunk";
import { bytesToSamples } from "#audio/pcm";
import type { Bus } from "#common/bus/bus";

/** How long an owner may take to hand a recording over, and the library, which may have to have it decoded. */
const OWNER_TIMEOUT_MS = 3000;
const LIBRARY_TIMEOUT_MS = 10_000;

/**
 * Fetches the recording that a chunk's voice names: mono at `PROMPT_RATE`. Rejects with `dependency_unavailable` when
 * nobody answers in time, and `unknown_reference` when the recording is gone.
 */
export async function fetchPrompt(bus: Bus, { source, id }: VoicePrompt, ownerId: string): Promise<Int16Array> {
  const pcm = source === "stream" ? await ofStream(bus, ownerId, id) : await ofLibrary(bus, id);
  if (pcm.byteLength === 0 || pcm.byteLength > MAX_PROMPT_SECONDS * PROMPT_RATE * 2)
    throw new ServiceError("internal", { cause: new RangeError(`a prompt of ${pcm.byteLength} bytes`) });
  return bytesToSamples(pcm);
}

async function ofStream(bus: Bus, ownerId: string, promptId: string): Promise<Uint8Array> {
  const question: PromptRequest = { type: "voice-prompt", promptId };
  const reply = await bus.request<PromptReply>(ownerPromptRequestSubject(ownerId), question, {
    timeoutMs: OWNER_TIMEOUT_MS,
    dependency: "The owner of the voice",
  });
  if (reply.type === "gone") throw new ServiceError("unknown_reference");
  return reply.pcm;
}

async function ofLibrary(bus: Bus, voiceId: string): Promise<Uint8Array> {
  const question: SavedPromptRequest = { voiceId };
  const reply = await bus.request<Reply<SavedPrompt>>(controlSubjects.voicePrompt, question, {
    timeoutMs: LIBRARY_TIMEOUT_MS,
    dependency: "The voice library",
  });
  if (!reply.ok) throw fromErrorRecord(reply.error);
  return reply.value.pcm;
}
