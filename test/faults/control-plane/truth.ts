import { and, asc, eq, inArray } from "drizzle-orm";
import { agents, agentVersions } from "#control-plane/agents/tables";
import type { Db } from "#control-plane/database/database";
import { apiKeys, usageRecords } from "#control-plane/database/schema";
import { knowledgeChunks, knowledgeRevisions, knowledgeSources } from "#control-plane/knowledge/tables";
import { readBalances } from "#control-plane/ledger/accounts";
import { auditLedger } from "#control-plane/ledger/audit";
import { tools } from "#control-plane/tools/table";
import { webhookDeliveries } from "#control-plane/webhooks/tables";
import type { KnownRecord } from "./known.js";
import { type Lane, OPENING_MICROS, USAGE_MICROS } from "./lane.js";

/** Holds the database against what the lanes were promised; one line for each promise that is broken. */
export async function findBroken(db: Db, lanes: readonly Lane[]): Promise<string[]> {
  const findings: string[] = await auditLedger(db);
  for (const lane of lanes) {
    for (const check of [checkAgents, checkTools, checkSources, checkKeys, checkMoney, checkDeliveries])
      findings.push(...(await check(db, lane)));
  }
  return findings;
}

/**
 * Rows of one kind against what is known of them: each is there, or not, as was acknowledged, and says one thing
 * throughout.
 */
function compare<R extends { id: string; name: string }>(
  kind: string,
  known: readonly KnownRecord[],
  rows: readonly R[],
  textsOf: (row: R) => string[],
): string[] {
  const findings: string[] = [];
  for (const record of known) {
    const found = rows.filter((row) => (record.id === null ? row.name === record.name : row.id === record.id));
    if (found.length > 1) findings.push(`${kind} ${record.name} is there ${found.length} times`);
    if (!record.isThere.admits(found.length > 0))
      findings.push(`${kind} ${record.name} is ${found.length > 0 ? "there again" : "lost"}`);
    for (const row of found) {
      const texts = [...new Set(textsOf(row))];
      if (texts.length !== 1) findings.push(`${kind} ${record.name} is half written: ${texts.join(" and ")}`);
      else if (!record.text.admits(texts[0] ?? ""))
        findings.push(`${kind} ${record.name} says ${texts[0]} instead of ${record.text.all.join(" or ")}`);
    }
  }
  const names = new Set(known.map(({ name }) => name));
  return [
    ...findings,
    ...rows.filter(({ name }) => !names.has(name)).map(({ name }) => `${kind} ${name} was never asked for`),
  ];
}

async function checkAgents(db: Db, { principal, agents: known, versions }: Lane): Promise<string[]> {
  const rows = await db.select().from(agents).where(eq(agents.teamId, principal.teamId));
  const findings = compare("agent", known, rows, ({ draft }) => [
    draft.prompt.first_message,
    draft.prompt.system_prompt,
  ]);
  for (const row of rows) {
    const published = await db
      .select()
      .from(agentVersions)
      .where(eq(agentVersions.agentId, row.id))
      .orderBy(asc(agentVersions.versionNumber));
    const numbers = published.map(({ versionNumber }) => versionNumber);
    if (numbers.some((number, index) => number !== index + 1))
      findings.push(`versions ${numbers.join(", ")} of agent ${row.name}`);
    if (row.liveVersion !== numbers.length)
      findings.push(`agent ${row.name} runs version ${row.liveVersion} of ${numbers.length}`);
    if ((versions.get(row.id) ?? 0) > numbers.length) findings.push(`a version of agent ${row.name} is lost`);
    for (const { config, attachments, versionNumber } of published) {
      const isWhole =
        config.prompt.first_message === config.prompt.system_prompt &&
        attachments.tools.length === config.tools.tool_ids.length &&
        attachments.knowledge.length === config.knowledge_base.knowledge_source_ids.length;
      if (!isWhole) findings.push(`version ${versionNumber} of agent ${row.name} is half written`);
    }
  }
  return findings;
}

async function checkTools(db: Db, { principal, tools: known }: Lane): Promise<string[]> {
  const rows = await db.select().from(tools).where(eq(tools.teamId, principal.teamId));
  return compare("tool", known, rows, ({ definition }) => [
    definition.description,
    ...definition.arguments.map(({ description }) => description),
  ]);
}

async function checkSources(db: Db, { principal, sources: known }: Lane): Promise<string[]> {
  const sources = await db.select().from(knowledgeSources).where(eq(knowledgeSources.teamId, principal.teamId));
  const findings: string[] = [];
  const rows: { id: string; name: string; texts: string[] }[] = [];
  for (const source of sources) {
    const newest = and(
      eq(knowledgeRevisions.sourceId, source.id),
      eq(knowledgeRevisions.revisionNumber, source.revisionNumber),
    );
    const revision = await db.select().from(knowledgeRevisions).where(newest);
    const ofNewest = and(
      eq(knowledgeChunks.sourceId, source.id),
      eq(knowledgeChunks.revisionNumber, source.revisionNumber),
    );
    const chunks = await db.select().from(knowledgeChunks).where(ofNewest).orderBy(asc(knowledgeChunks.position));
    if (chunks.length !== source.chunkCount || chunks.length < 2)
      findings.push(`source ${source.name} has ${chunks.length} of ${source.chunkCount} passages`);
    const words = [...revision.map(({ content }) => content), ...chunks.map(({ content }) => content)].flatMap(
      (text) => text.match(/\bw\w+n\d+\b/g) ?? [],
    );
    // A source that was never replaced has no description.
    rows.push({
      id: source.id,
      name: source.name,
      texts: [...words, ...(source.description === "" ? [] : [source.description])],
    });
  }
  return [...findings, ...compare("source", known, rows, ({ texts }) => texts)];
}

async function checkKeys(db: Db, { principal, keys: known }: Lane): Promise<string[]> {
  const rows = await db.select().from(apiKeys).where(eq(apiKeys.teamId, principal.teamId));
  const own = rows.filter(({ id }) => id !== principal.keyId);
  const revoked = own.filter(({ revokedAt }) => revokedAt !== null).map(({ id }) => id);
  const missing = known
    .filter(({ id }) => id !== null && !own.some((row) => row.id === id))
    .map(({ name }) => `key ${name} is lost`);
  const valid = own.filter(({ id }) => !revoked.includes(id));
  return [...missing, ...compare("key", known, valid, ({ name }) => [name])];
}

async function checkMoney(db: Db, { principal, usageIds, grantedMicros }: Lane): Promise<string[]> {
  const used = await db
    .select({ id: usageRecords.usageId })
    .from(usageRecords)
    .where(eq(usageRecords.teamId, principal.teamId));
  const { credit } = await readBalances(db, principal.teamId);
  const expected = OPENING_MICROS + grantedMicros - usageIds.length * USAGE_MICROS;
  return [
    ...usageIds
      .filter((usageId) => !used.some(({ id }) => id === usageId))
      .map((usageId) => `usage ${usageId} is lost`),
    ...(credit === expected ? [] : [`a team has ${credit} millionths instead of ${expected}`]),
  ];
}

async function checkDeliveries(db: Db, { deliveries }: Lane): Promise<string[]> {
  if (deliveries.length === 0) return [];
  const rows = await db.select().from(webhookDeliveries).where(inArray(webhookDeliveries.id, deliveries));
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  return deliveries
    .filter((id) => statuses.get(id) !== "delivered")
    .map((id) => `delivery ${id} is ${statuses.get(id) ?? "lost"}`);
}
