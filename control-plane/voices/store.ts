import { and, asc, eq, inArray } from "drizzle-orm";
import type { ModelPatch } from "#protocol/voices";
import type { Db } from "../database/database.js";
import { users, voiceSamples, voices } from "../database/schema.js";
import type { SampleRow, VoiceRecord, VoiceRow } from "./entity.js";
import { guessLanguages } from "./languages.js";
import { visibleTo } from "./visibility.js";

/**
 * Text as title filters compare it: compatibility forms and case folded, by our rules rather than a database's locale.
 */
export function foldText(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

/** The voice, if this team may read it; null is both "missing" and "not yours". */
export async function findVoice(db: Db, voiceId: string, teamId: string): Promise<VoiceRecord | null> {
  if (!isVoiceId(voiceId)) return null;
  const [found] = await db
    .select({ voice: voices, author: users })
    .from(voices)
    .innerJoin(users, eq(voices.authorId, users.id))
    .where(and(eq(voices.id, voiceId), visibleTo(teamId)));
  if (found === undefined) return null;
  const samples = await samplesOf(db, [voiceId]);
  return { ...found, samples: samples.get(voiceId) ?? [] };
}

/** The voice, if this team owns it. */
export async function findOwnVoice(db: Db, voiceId: string, teamId: string): Promise<VoiceRow | null> {
  if (!isVoiceId(voiceId)) return null;
  const [row] = await db
    .select()
    .from(voices)
    .where(and(eq(voices.id, voiceId), eq(voices.teamId, teamId)));
  return row ?? null;
}

/** Ids are ours; asking the database for anything else could only fail (it refuses U+0000, for one). */
export function isVoiceId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** Samples of several voices, each list in order of position. */
export async function samplesOf(db: Db, voiceIds: string[]): Promise<Map<string, SampleRow[]>> {
  const byVoice = new Map<string, SampleRow[]>();
  if (voiceIds.length === 0) return byVoice;
  const rows = await db
    .select()
    .from(voiceSamples)
    .where(inArray(voiceSamples.voiceId, voiceIds))
    .orderBy(asc(voiceSamples.position));
  for (const row of rows) byVoice.set(row.voiceId, [...(byVoice.get(row.voiceId) ?? []), row]);
  return byVoice;
}

/** Writes a voice and its samples, both or neither. */
export async function insertVoice(db: Db, voice: VoiceRow, samples: SampleRow[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insert(voices).values(voice);
    await tx.insert(voiceSamples).values(samples);
  });
}

/** Changes what is given of an own voice; false when it is gone meanwhile. */
export async function updateVoice(
  db: Db,
  voice: Pick<VoiceRow, "id" | "teamId">,
  change: { patch: ModelPatch; coverDigest: string | null; now: Date },
): Promise<boolean> {
  const { patch, coverDigest, now } = change;
  const title = patch.title === undefined ? {} : titleColumns(patch.title);
  const changed = await db
    .update(voices)
    .set({
      ...title,
      // drizzle leaves out what is undefined.
      description: patch.description,
      visibility: patch.visibility,
      tags: patch.tags,
      coverDigest: coverDigest ?? undefined,
      updatedAt: now,
    })
    .where(and(eq(voices.id, voice.id), eq(voices.teamId, voice.teamId)))
    .returning({ id: voices.id });
  return changed.length > 0;
}

/** The title with what is derived from it. */
export function titleColumns(title: string): Pick<VoiceRow, "title" | "titleFolded" | "titleLanguages"> {
  return { title, titleFolded: foldText(title), titleLanguages: guessLanguages(title) };
}

/** Deletes an own voice with its sample records; gives how many samples it had, or null when it was gone already. */
export async function deleteVoice(db: Db, voice: Pick<VoiceRow, "id" | "teamId">): Promise<number | null> {
  return await db.transaction(async (tx) => {
    const samples = await samplesOf(tx, [voice.id]);
    const gone = await tx
      .delete(voices)
      .where(and(eq(voices.id, voice.id), eq(voices.teamId, voice.teamId)))
      .returning({ id: voices.id });
    return gone.length === 0 ? null : (samples.get(voice.id)?.length ?? 0);
  });
}
