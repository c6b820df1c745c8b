import type { Db } from "../database/database.js";
import { type Booking, post } from "./post.js";

export interface Grant {
  /** Chosen by whoever asks: the same grant is given once. */
  id: string;
  teamId: string;
  /** Negative takes back, at most what the team has left. */
  micros: number;
  note: string;
}

/** Gives a team credit, or takes some back. Throws `out_of_credit` when less is left than is to be taken. */
export async function grantCredit(db: Db, grant: Grant, now: Date): Promise<Booking> {
  const { id, teamId, micros, note } = grant;
  const postings = { granted: -micros, credit: micros };
  return await db.transaction((tx) =>
    post(tx, { id: `grant:${id}`, teamId, kind: "grant", note, postings, mayOverdraw: false }, now),
  );
}
