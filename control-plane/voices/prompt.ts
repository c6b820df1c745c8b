import { z } from "zod";
import { validate } from "#common/http/validation";
import type { SavedPrompt } from "#protocol/bus/voice-prompts";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import type { MeasureVoice } from "./measurement.js";
import type { VoiceObjects } from "./objects.js";
import { isVoiceId, samplesOf } from "./store.js";

const promptRequest = z.object({ voiceId: z.string() });

/**
 * The recording of a saved voice that models which clone voices take. Voices of earlier versions have none stored: it is
 * made of their samples, by an edge, when it is first asked for. Throws `unknown_reference` for a voice that is gone or
 * whose samples are lost, and `dependency_unavailable`.
 */
export async function voicePrompt(
  { db, objects, measure }: { db: Db; objects: VoiceObjects; measure: MeasureVoice },
  stranger: unknown,
): Promise<SavedPrompt> {
  const { voiceId } = validate(promptRequest, stranger);
  if (!isVoiceId(voiceId)) throw new ServiceError("unknown_reference");
  const stored = await objects.prompt(voiceId);
  if (stored !== null) return { pcm: stored };
  const samples = await sampleCount(db, voiceId);
  const bytes = await Promise.all(Array.from({ length: samples }, (_, position) => objects.sample(voiceId, position)));
  const known = bytes.filter((sample) => sample !== null);
  if (known.length === 0) throw new ServiceError("unknown_reference");
  const { prompt } = await measure(known);
  if (prompt.length === 0)
    throw new ServiceError("dependency_unavailable", { parameters: { dependency: "Audio decoding" } });
  await objects.putPrompt(voiceId, prompt);
  // Whoever deleted the voice meanwhile could not know of it.
  if ((await sampleCount(db, voiceId)) === 0) await objects.remove(voiceId, samples, null);
  return { pcm: prompt };
}

async function sampleCount(db: Db, voiceId: string): Promise<number> {
  return (await samplesOf(db, [voiceId])).get(voiceId)?.length ?? 0;
}
