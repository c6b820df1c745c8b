import type { Sealer } from "#common/secrets/sealer";
import { newIdentifier } from "#common/identifier";
import type { AgentCreate } from "#protocol/agents/agent";
import { type AgentConfig, agentConfig, type ConfigEntity } from "#protocol/agents/config";
import type { ConfigPatch } from "#protocol/agents/config-patch";
import { type Problem, ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import type { Attachables, Attachments } from "./attachables.js";
import { applyPatch } from "./config/apply-patch.js";
import { type CheckUrl, checkPatch } from "./config/checks.js";
import { toConfigEntity } from "./config/config-entity.js";
import { configHash } from "./config/config-hash.js";
import { secretBox } from "#common/secrets/secret-box";
import { findAgent, lockAgent, ownedAgent, searchable } from "./store.js";
import { type AgentRow, agents } from "./tables.js";

export interface DraftDependencies {
  db: Db;
  sealer: Sealer;
  attachables: Attachables;
  checkUrl: CheckUrl;
  /** Wall-clock time. */
  now: () => Date;
}

/** Creates an agent: the default configuration, changed by what the caller gives. Throws `validation`. */
export async function createAgent(
  dependencies: DraftDependencies,
  teamId: string,
  given: AgentCreate,
): Promise<AgentRow> {
  const { db, sealer, attachables, checkUrl, now } = dependencies;
  const [id, at, location] = [newIdentifier(), now(), ["body", "config"]];
  const patch = given.config ?? {};
  await checkPatch(patch, checkUrl, location);
  const draft = applyPatch(agentConfig.parse({}), patch, secretBox(sealer, id), location);
  return await db.transaction(async (tx) => {
    await holdReferences(tx, attachables, teamId, patch, location);
    const [row] = await tx
      .insert(agents)
      .values({
        id,
        teamId,
        ...required(searchable({ name: given.name, description: given.description })),
        status: "active",
        publicEnabled: false,
        allowedOrigins: [],
        overridesAllowed: [],
        draft,
        draftUpdatedAt: at,
        liveVersion: 0,
        createdAt: at,
        updatedAt: at,
      })
      .returning();
    if (row === undefined) throw new ServiceError("internal");
    return row;
  });
}

function required<T extends object>(value: T): Required<T> {
  return value as Required<T>;
}

/** The team's draft configuration. Throws `not_found`. */
export async function readDraft(
  dependencies: DraftDependencies,
  teamId: string,
  agentId: string,
): Promise<ConfigEntity> {
  const row = await findAgent(dependencies.db, teamId, agentId);
  return await draftEntity(dependencies.db, dependencies.attachables, row);
}

/**
 * Changes the team's draft; changes of one agent take turns, so that none is lost. Throws `not_found` and `validation`,
 * with nothing changed.
 */
export async function patchDraft(
  dependencies: DraftDependencies,
  teamId: string,
  agentId: string,
  patch: ConfigPatch,
): Promise<ConfigEntity> {
  const { db, sealer, attachables, checkUrl, now } = dependencies;
  const location = ["body"];
  // Before the transaction: looking names up may take seconds, and the embedded database has one connection.
  await checkPatch(patch, checkUrl, location);
  return await db.transaction(async (tx) => {
    const before = await lockAgent(tx, teamId, agentId);
    await holdReferences(tx, attachables, teamId, patch, location);
    const draft = applyPatch(agentConfig.parse(before.draft), patch, secretBox(sealer, agentId), location);
    const draftUpdatedAt = now();
    await tx.update(agents).set({ draft, draftUpdatedAt }).where(ownedAgent(teamId, agentId));
    return await draftEntity(tx, attachables, { ...before, draft, draftUpdatedAt });
  });
}

/** What a configuration refers to, as it is now. */
export async function freezeAttachments(
  tx: Db,
  attachables: Attachables,
  teamId: string,
  config: AgentConfig,
): Promise<Attachments> {
  return {
    tools: await attachables.tools.freeze(tx, teamId, config.tools.tool_ids),
    knowledge: await attachables.knowledge.freeze(tx, teamId, config.knowledge_base.knowledge_source_ids),
  };
}

/** The draft of a row as its team reads it. */
export async function draftEntity(tx: Db, attachables: Attachables, row: AgentRow): Promise<ConfigEntity> {
  // A draft written by an earlier release gains the sections that came since.
  const config = agentConfig.parse(row.draft);
  const hash = configHash(config, await freezeAttachments(tx, attachables, row.teamId, config));
  return toConfigEntity({ agentId: row.id, config, configHash: hash, updatedAt: row.draftUpdatedAt });
}

/**
 * Keeps what a patch refers to from being deleted until the transaction ends; throws `validation` for what the team
 * does not have.
 */
async function holdReferences(
  tx: Db,
  attachables: Attachables,
  teamId: string,
  patch: ConfigPatch,
  location: string[],
): Promise<void> {
  const lists = [
    { kind: attachables.tools, ids: patch.tools?.tool_ids ?? [], path: ["tools", "tool_ids"], noun: "Tool" },
    {
      kind: attachables.knowledge,
      ids: patch.knowledge_base?.knowledge_source_ids ?? [],
      path: ["knowledge_base", "knowledge_source_ids"],
      noun: "Knowledge source",
    },
  ];
  const problems: Problem[] = [];
  for (const { kind, ids, path, noun } of lists) {
    if (ids.length === 0) continue;
    const held = await kind.hold(tx, teamId, ids);
    for (const [index, id] of ids.entries()) {
      if (!held.has(id))
        problems.push({ type: "unknown_reference", loc: [...location, ...path, index], msg: `${noun} not found` });
    }
  }
  if (problems.length > 0) throw new ServiceError("validation", { problems });
}
