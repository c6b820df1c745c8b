import { and, desc, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { SealError, type Sealer } from "#common/secrets/sealer";
import { ServiceError } from "#protocol/errors";
import { MAX_PAGE_OFFSET_ROWS, type PageEnvelope, type PageQuery } from "#protocol/paging";

/** Where a page ends: the next one begins after this row. */
interface Place {
  createdAtMs: number;
  id: string;
}

/** One page of a list that is ordered newest first. */
export interface Page {
  /** Rows to read: one more than are shown, which shows whether there are more. */
  limit: number;
  /** Rows to skip. */
  offset: number;
  after: Place | null;
  wantsTotal: boolean;
  /** Makes the cursor that leads on after a row. */
  cursorAfter(place: Place): string;
}

/**
 * Reads the paging part of a query. Cursors are sealed for the list and the team: those of another one, or made by the
 * caller, do not open. Throws `conflicting_paging`, `invalid_cursor` and `page_out_of_range`.
 */
export function readPage(query: PageQuery, list: string, teamId: string, sealer: Sealer): Page {
  if (query.page !== undefined && query.cursor !== undefined) throw new ServiceError("conflicting_paging");
  const context = `cursor:${teamId}:${list}`;
  const cursorAfter = ({ createdAtMs, id }: Place): string => sealer.seal(`${createdAtMs}.${id}`, context);
  const limit = query.page_size + 1;
  if (query.page === undefined) {
    const after = query.cursor === undefined ? null : openCursor(query.cursor, context, sealer);
    return { limit, offset: 0, after, wantsTotal: query.include_total, cursorAfter };
  }
  const offset = (query.page - 1) * query.page_size;
  if (offset > MAX_PAGE_OFFSET_ROWS)
    throw new ServiceError("page_out_of_range", { parameters: { maximum: MAX_PAGE_OFFSET_ROWS } });
  return { limit, offset, after: null, wantsTotal: true, cursorAfter };
}

/** The condition that leaves out what earlier pages showed, added to `where`. */
export function within(
  page: Page,
  where: SQL | undefined,
  columns: { createdAt: PgColumn; id: PgColumn },
): SQL | undefined {
  if (page.after === null) return where;
  const { createdAtMs, id } = page.after;
  const instant = new Date(createdAtMs).toISOString();
  return and(where, sql`(${columns.createdAt}, ${columns.id}) < (${instant}::timestamptz, ${id})`);
}

/** Newest first, in a total order. */
export function newestFirst(columns: { createdAt: PgColumn; id: PgColumn }): SQL[] {
  return [desc(columns.createdAt), desc(columns.id)];
}

/** The rows to show of those that were read, and what the answer says of them. */
export function envelope<T extends { createdAt: Date; id: string }>(
  page: Page,
  read: T[],
  total: number | null,
): { rows: T[]; envelope: PageEnvelope } {
  const rows = read.slice(0, page.limit - 1);
  const hasMore = read.length > rows.length;
  const last = rows.at(-1);
  const cursor =
    hasMore && last !== undefined ? page.cursorAfter({ createdAtMs: last.createdAt.getTime(), id: last.id }) : null;
  return { rows, envelope: { has_more: hasMore, next_cursor: cursor, total } };
}

function openCursor(cursor: string, context: string, sealer: Sealer): Place {
  try {
    const [milliseconds = "", id = ""] = sealer.open(cursor, context).split(".");
    return { createdAtMs: Number(milliseconds), id };
  } catch (cause) {
    if (cause instanceof SealError) throw new ServiceError("invalid_cursor", { cause });
    throw cause;
  }
}
