import { asc, gt } from "drizzle-orm";
import type { Db } from "../database/database.js";
import { usageRecords } from "../database/schema.js";
import type { AnalyticsEngine } from "./engine.js";
import { insertUsageRows } from "./usage-table.js";

const PAGE = 5000;
const DONE = "backfill-usage";

/**
 * Gives a new engine what was booked before it came, once; an interrupted run is begun again, which is harmless. Gives
 * the number of records, or null when it was done before. How long those requests took is not known any more.
 */
export async function backfillUsage(engine: AnalyticsEngine, db: Db, signal: AbortSignal): Promise<number | null> {
  const done = await engine.query("SELECT name FROM parley_migrations WHERE name = {name:String}", { name: DONE });
  if (done.length > 0) return null;
  let copied = 0;
  for (let last = ""; !signal.aborted; ) {
    const page = await db
      .select()
      .from(usageRecords)
      .where(gt(usageRecords.usageId, last))
      .orderBy(asc(usageRecords.usageId))
      .limit(PAGE);
    const rows = page.map((record) => ({
      ...record,
      finishedAtMs: record.finishedAt.getTime(),
      firstAudioMs: null,
      totalMs: null,
    }));
    await insertUsageRows(engine, rows);
    copied += rows.length;
    last = page.at(-1)?.usageId ?? "";
    if (page.length < PAGE) break;
  }
  if (!signal.aborted) await engine.insert("parley_migrations", [{ name: DONE }], DONE);
  return copied;
}
