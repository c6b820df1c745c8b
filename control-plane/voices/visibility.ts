import { eq, ne, or, type SQL } from "drizzle-orm";
import { voices } from "../database/schema.js";

/**
 * Which voices a team may use and read by their id: its own, and everyone's that are not private. Lists show fewer
 * (`list.ts`). Changing is for the owner alone; to others every voice, public ones too, answers PATCH and DELETE as if
 * it were missing.
 */
export function visibleTo(teamId: string): SQL | undefined {
  return or(eq(voices.teamId, teamId), ne(voices.visibility, "private"));
}
