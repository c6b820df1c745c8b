import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PhoneEntity, PhoneListQuery, PhoneUpdate } from "#protocol/agents/phone";
import { ServiceError } from "#protocol/errors";
import { holdAgents } from "../agents/store.js";
import type { Db } from "../database/database.js";
import { newestFirst, type Page, within } from "../http/paging.js";
import { type PhoneRow, phoneNumbers, type SipRecord, type SipSecrets } from "./tables.js";

const owned = (teamId: string, id: string): SQL | undefined =>
  and(eq(phoneNumbers.teamId, teamId), eq(phoneNumbers.id, id));

/** The team's number. Throws `not_found`, for another team's as for a missing one. */
export async function findPhone(db: Db, teamId: string, id: string): Promise<PhoneRow> {
  const [row] = /^[0-9a-f]{32}$/.test(id) ? await db.select().from(phoneNumbers).where(owned(teamId, id)) : [];
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/**
 * Changes the label or the agent of the team's number. Throws `not_found` for a number or an agent that it does not
 * have.
 */
export async function updatePhone(
  db: Db,
  owner: { teamId: string; id: string },
  update: PhoneUpdate,
  now: Date,
): Promise<PhoneRow> {
  return await db.transaction(async (tx) => {
    await requireAgent(tx, owner.teamId, update.agent_id ?? null);
    const [row] = await tx
      .update(phoneNumbers)
      .set({ label: update.label, agentId: update.agent_id, updatedAt: now })
      .where(owned(owner.teamId, owner.id))
      .returning();
    if (row === undefined) throw new ServiceError("not_found");
    return row;
  });
}

/** Makes sure that the team has this agent until the transaction ends; null is none. Throws `not_found`. */
export async function requireAgent(tx: Db, teamId: string, agentId: string | null): Promise<void> {
  if (agentId !== null && !(await holdAgents(tx, teamId, [agentId])).has(agentId)) throw new ServiceError("not_found");
}

/** Replaces the trunk of the team's imported number. Throws `not_found`. */
export async function updateSip(
  db: Db,
  owner: { teamId: string; id: string },
  trunk: { sip: SipRecord; sipSecrets: SipSecrets },
  now: Date,
): Promise<PhoneRow> {
  const [row] = await db
    .update(phoneNumbers)
    .set({ ...trunk, updatedAt: now })
    .where(owned(owner.teamId, owner.id))
    .returning();
  if (row === undefined) throw new ServiceError("not_found");
  return row;
}

/** Writes what a live number waits for; empty for nothing. */
export async function noteDetail(db: Db, { id }: Pick<PhoneRow, "id">, statusDetail: string): Promise<void> {
  const isActive = and(eq(phoneNumbers.id, id), eq(phoneNumbers.status, "active"));
  await db.update(phoneNumbers).set({ statusDetail }).where(isActive);
}

/**
 * One page of the team's numbers, and how many match in all where the page wants to know. `agent_id` must be an id of
 * ours.
 */
export async function listPhones(
  db: Db,
  teamId: string,
  query: PhoneListQuery,
  page: Page,
): Promise<{ read: PhoneRow[]; total: number | null }> {
  const number = query.phone_number === undefined ? null : e164Of(query.phone_number);
  if (number?.includes("\u0000") === true) return { read: [], total: page.wantsTotal ? 0 : null };
  const where = and(
    eq(phoneNumbers.teamId, teamId),
    number === null ? undefined : eq(phoneNumbers.phoneNumber, number),
    query.agent_id === undefined ? undefined : eq(phoneNumbers.agentId, query.agent_id),
  );
  const read = await db
    .select()
    .from(phoneNumbers)
    .where(within(page, where, phoneNumbers))
    .orderBy(...newestFirst(phoneNumbers))
    .limit(page.limit)
    .offset(page.offset);
  if (!page.wantsTotal) return { read, total: null };
  const [counted] = await db.select({ total: sql<number>`count(*)::int` }).from(phoneNumbers).where(where);
  return { read, total: counted?.total ?? 0 };
}

/** A plus that was not escaped in a query arrives as a space. */
function e164Of(text: string): string {
  const digits = text.trim();
  return digits.startsWith("+") ? digits : `+${digits}`;
}

/** A number as its team reads it. A team is its one workspace. */
export function toPhoneEntity(row: PhoneRow): PhoneEntity {
  const { sip } = row;
  return {
    phone_number_id: row.id,
    workspace_id: row.teamId,
    phone_number: row.phoneNumber,
    provider: row.provider,
    label: row.label,
    agent_id: row.agentId,
    status: row.status,
    status_detail: row.statusDetail,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    ...(sip === null ? {} : { supports_outbound: sip.termination_uri !== "", ...sip }),
  };
}
