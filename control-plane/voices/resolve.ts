import { and, inArray } from "drizzle-orm";
import { z } from "zod";
import { validate } from "#common/http/validation";
import type { ResolvedVoice, ResolveVoicesReply } from "#protocol/bus/control";
import type { Db } from "../database/database.js";
import { voices } from "../database/schema.js";
import type { VoiceRow } from "./entity.js";
import { isVoiceId } from "./store.js";
import { visibleTo } from "./visibility.js";

const resolveRequest = z.object({ teamId: z.string(), voiceIds: z.array(z.string()).max(256) });

/**
 * Gives what the speech path needs of saved voices, in the order asked; null for one that the team may not use or that
 * is missing.
 */
export async function resolveVoices(db: Db, stranger: unknown): Promise<ResolveVoicesReply> {
  const { teamId, voiceIds } = validate(resolveRequest, stranger);
  const known = [...new Set(voiceIds)].filter(isVoiceId);
  const rows =
    known.length === 0
      ? []
      : await db
          .select()
          .from(voices)
          .where(and(inArray(voices.id, known), visibleTo(teamId)));
  const byId = new Map(rows.map((row) => [row.id, toResolved(row)]));
  return { voices: voiceIds.map((voiceId) => byId.get(voiceId) ?? null) };
}

/**
 * A saved voice speaks in its recording where a model does that; else it is a speaker of the model, steered by what was
 * measured.
 */
function toResolved(voice: VoiceRow): ResolvedVoice {
  const { pitchHz, pitchRangeSemitones, syllablesPerSecond, spectralTiltDbPerOctave } = voice;
  return {
    voiceId: voice.id,
    traits: { pitchHz, pitchRangeSemitones, syllablesPerSecond, spectralTiltDbPerOctave },
    hasPrompt: true,
  };
}
