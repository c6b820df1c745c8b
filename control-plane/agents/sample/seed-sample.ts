import { readFileSync } from "node:fs";
import { join } from "node:path";
import { and, eq, gt } from "drizzle-orm";
import type { ConfigPatch } from "#protocol/agents/config-patch";
import { localOrigins } from "#common/local-origins";
import type { Db } from "../../database/database.js";
import { insertSource } from "../../knowledge/store.js";
import { createAgent, type DraftDependencies } from "../draft.js";
import { updateAgent } from "../store.js";
import { agents } from "../tables.js";
import { publishAgent } from "../versions.js";

const SAMPLE_NAME = "Parley guide";

const prompt = `You are the guide to Parley, a speech service that people run themselves. Answer questions about it in one or two short sentences, from the passages that you are given and from nothing else. Where they have no answer, say that you do not know, and that the documentation is in the folder docs.`;

const greeting = "Hello, I am the guide to Parley. What would you like to know?";

const configOf = (sourceId: string): ConfigPatch => ({
  prompt: { system_prompt: prompt, first_message_mode: "fixed", first_message: greeting },
  voice: { speaking_language: "en" },
  tools: { system_tools: { hang_up_call: true } },
  knowledge_base: { enabled: true, knowledge_source_ids: [sourceId] },
});

/** What the sample agent knows: the page beside the source of this file. */
const guideFile = join(import.meta.dirname, "../../../../control-plane/agents/sample/guide.md");

export interface SampleOptions extends DraftDependencies {
  teamId: string;
  /** Where the edge listens: its own pages may talk to the agent. */
  port: number;
}

/** Makes and publishes the sample agent, which pages of this machine may talk to without a key. `db`: a transaction. */
export async function seedSample(options: SampleOptions): Promise<void> {
  const { db, teamId, port, now } = options;
  const content = { text: readFileSync(guideFile, "utf8"), fileName: "guide.md" };
  const description = "What the sample agent answers from.";
  const source = await insertSource(db, { teamId, name: "guide to Parley", description, content, now: now() });
  const { id: agentId } = await createAgent(options, teamId, {
    name: SAMPLE_NAME,
    description: "Answers questions about Parley. A sample: change it, or delete it.",
    config: configOf(source.id),
  });
  const owner = { teamId, agentId };
  await updateAgent(db, owner, { public_enabled: true, allowed_origins: localOrigins(port) }, now());
  await publishAgent(options, owner, { title: null, description: null });
}

/** The name of the sample agent as long as the team has it and it can be talked to; null otherwise. */
export async function findSample(db: Db, teamId: string): Promise<string | null> {
  const isLive = and(eq(agents.status, "active"), gt(agents.liveVersion, 0));
  const [row] = await db
    .select({ id: agents.id })
    .from(agents)
    .where(and(eq(agents.teamId, teamId), eq(agents.name, SAMPLE_NAME), isLive))
    .limit(1);
  return row === undefined ? null : SAMPLE_NAME;
}
