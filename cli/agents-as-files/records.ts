import type { AgentEntity } from "#protocol/agents/agent";
import type { TestSummary } from "#protocol/agents/tests";
import { CommandError } from "../command.js";
import { answerOf, listAll, type PublicApi } from "../public-api.js";
import { documentOf, type RecordDocument, type RecordKind, type ServerRecord } from "./document.js";

/** What an agent is besides its configuration and its tests. */
const agentFields = ["name", "description", "public_enabled", "allowed_origins", "overrides_allowed"] as const;

/** A record as the service has it, with its own ids in references; null where it is gone. */
export async function readRecord(api: PublicApi, kind: RecordKind, id: string): Promise<ServerRecord | null> {
  const response = await api.send("GET", `/v1/agent/${kind}/${id}`);
  if (response.status === 404) return null;
  const entity = await answerOf<Record<string, unknown>>(response);
  if (kind !== "agents") return { id, document: documentOf(entity) };
  const config = await api.ask<object>("GET", `/v1/agent/agents/${id}/config`);
  const tests = (await attachedTests(api, id)).sort();
  return { id, document: { ...documentOf(entity), tests, config: documentOf(config) } };
}

/** Makes a new record; references in `document` are ids. Gives its id. */
export async function createRecord(api: PublicApi, kind: RecordKind, document: RecordDocument): Promise<string> {
  if (kind === "tools") return (await api.ask<{ tool_id: string }>("POST", "/v1/agent/tools", document)).tool_id;
  if (kind === "tests") return (await api.ask<{ test_id: string }>("POST", "/v1/agent/tests", document)).test_id;
  const { name, config = {} } = document;
  const { agent_id: id } = await api.ask<AgentEntity>("POST", "/v1/agent/agents", { name, config });
  try {
    await updateAgent(api, id, { ...document, config: {} });
  } catch (error) {
    // Nobody has its id: the next try would make another one beside it.
    await api.send("DELETE", `/v1/agent/agents/${id}`);
    throw error;
  }
  return id;
}

/** Changes a record to what `document` says; what it leaves out stays. References in it are ids. */
export async function updateRecord(
  api: PublicApi,
  kind: RecordKind,
  id: string,
  document: RecordDocument,
): Promise<void> {
  if (kind === "agents") return await updateAgent(api, id, document);
  const { tool_type: _tool, integration: _integration, test_type: _test, ...changes } = document;
  await api.ask("PATCH", `/v1/agent/${kind}/${id}`, changes);
}

async function updateAgent(api: PublicApi, id: string, document: RecordDocument): Promise<void> {
  const { tests, config = {}, ...fields } = document;
  const unknown = Object.keys(fields).filter((name) => !agentFields.some((known) => known === name));
  if (unknown.length > 0) throw new CommandError(`an agent has no field ${unknown.join(", ")}`);
  await api.ask("PATCH", `/v1/agent/agents/${id}`, fields);
  await api.ask("PATCH", `/v1/agent/agents/${id}/config`, config as object);
  if (Array.isArray(tests)) await attachTests(api, id, tests.map(String));
}

async function attachTests(api: PublicApi, id: string, wanted: readonly string[]): Promise<void> {
  const attached = await attachedTests(api, id);
  for (const test of wanted.filter((test) => !attached.includes(test)))
    await api.ask("PUT", `/v1/agent/agents/${id}/tests/${test}`);
  for (const test of attached.filter((test) => !wanted.includes(test)))
    await api.ask("DELETE", `/v1/agent/agents/${id}/tests/${test}`);
}

/** Ids of the tests of an agent. */
async function attachedTests(api: PublicApi, id: string): Promise<string[]> {
  return (await listAll<TestSummary>(api, "/v1/agent/tests", "tests", { agent_id: id })).map((test) => test.test_id);
}
