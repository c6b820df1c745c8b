import { and, desc, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { sha256Hex } from "#common/identifier";
import { ServiceError } from "#protocol/errors";
import { MAX_PAGE_OFFSET_ROWS, type PageEnvelope, type PageQuery } from "#protocol/paging";

/** Where a page ends: the next one begins after this row. */
interface Place {
  createdAtMs: number;
  id: string;
}

/** One page of a list that is ordered newest first. */
export interface Page {
  /** Rows to read: one more than are shown, which tells whether there are more. */
  limit: number;
  /** Rows to skip. */
  offset: number;
  after: Place | null;
  wantsTotal: boolean;
  /** What its cursors are bound to. */
  owner: string;
}

/**
 * Reads the paging part of a query. `list` and the team are what its cursors are good for: those of another list or team are not decoded.
 * Throws `conflicting_paging`, `invalid_cursor` and `page_out_of_range`.
 */
export function readPage(query: PageQuery, list: string, teamId: string): Page {
  if (query.page !== undefined && query.page !== 0 && query.cursor !== undefined) throw new ServiceError("conflicting_paging");
  const owner = sha256Hex(`${list}\n${teamId}`).slice(0, 12);
  const limit = query.page_size + 1;
  if (query.page === undefined || query.page === 0) {
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor, owner);
    return { limit, offset: 0, after, wantsTotal: query.include_total, owner };
  }
  const offset = (query.page - 1) * query.page_size;
  if (offset > MAX_PAGE_OFFSET_ROWS) throw new ServiceError("page_out_of_range", { parameters: { maximum: MAX_PAGE_OFFSET_ROWS } });
  return { limit, offset, after: null, wantsTotal: true, owner };
}

/** The condition that leaves out what earlier pages showed, added to `where`. */
export function within(page: Page, where: SQL | undefined, columns: { createdAt: PgColumn; id: PgColumn }): SQL | undefined {
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
  const cursor = hasMore && last !== undefined ? encodeCursor({ createdAtMs: last.createdAt.getTime(), id: last.id }, page.owner) : null;
  return { rows, envelope: { has_more: hasMore, next_cursor: cursor, total } };
}

function encodeCursor({ createdAtMs, id }: Place, owner: string): string {
  return Buffer.from(`${createdAtMs}.${id}.${owner}`).toString("base64url");
}

function decodeCursor(cursor: string, owner: string): Place {
  const found = /^(\d{1,15})\.([0-9a-z-]{1,64})\.([0-9a-f]{12})$/.exec(Buffer.from(cursor, "base64url").toString());
  const [, milliseconds = "", id = "", boundTo] = found ?? [];
  if (boundTo !== owner || Number(milliseconds) > 8.64e15) throw new ServiceError("invalid_cursor");
  return { createdAtMs: Number(milliseconds), id };
}
