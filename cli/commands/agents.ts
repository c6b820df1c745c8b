import type { AgentEntity } from "#protocol/agents/agent";
import type { VersionSummary } from "#protocol/agents/version";
import { createAgent, readNewAgent } from "../agents/create-agent.js";
import { findAgent, listAgents } from "../agents/find-agent.js";
import { type Command, CommandError, exitCodes, type OptionValues, type Terminal } from "../command.js";
import { apiOptions, openPublicApi } from "../public-api.js";
import { textTable } from "../table.js";

export const agentsCommand: Command = {
  name: "agents",
  arguments: "create|publish|list",
  summary: "Makes, publishes and lists agents of the running cluster.",
  details: [
    "  agents create NAME     prints the new agent's id; sessions need a published version",
    "  agents publish AGENT   its draft is what new sessions run; AGENT is an id, or a name that only one has",
    "  agents list            one agent a line",
  ],
  options: {
    prompt: { type: "string", value: "TEXT|@FILE", doc: "create: the system prompt, or a file with it." },
    greeting: { type: "string", value: "TEXT", doc: "create: what the agent says first, word for word." },
    knowledge: {
      type: "string",
      value: "FILE…",
      multiple: true,
      doc: "create: text or Markdown that it answers from; several files, or the option several times.",
    },
    voice: { type: "string", value: "ID", doc: "create: a saved voice; the service's own when absent." },
    language: { type: "string", value: "CODE", doc: "create: the language that it speaks; en when absent." },
    public: { type: "boolean", doc: "create: pages of this machine may talk to it without a key." },
    json: { type: "boolean", doc: "As JSON." },
    ...apiOptions,
  },
  async run(terminal, [action, ...positionals], values) {
    if (action === "create") return await create(terminal, positionals, values);
    const [agent, ...more] = positionals;
    if (action === "publish" && agent !== undefined && more.length === 0) return await publish(terminal, agent, values);
    if (action === "list" && agent === undefined) return await list(terminal, values);
    throw new CommandError("say: agents create NAME, agents publish AGENT, or agents list", exitCodes.usage);
  },
};

async function create(terminal: Terminal, positionals: string[], values: OptionValues): Promise<number> {
  const asked = readNewAgent(positionals, values);
  const agent = await createAgent(openPublicApi(terminal, values), asked);
  terminal.stdout.write(values.json === true ? json(agent) : `${agent.agent_id}\n`);
  return exitCodes.ok;
}

async function publish(terminal: Terminal, idOrName: string, values: OptionValues): Promise<number> {
  const api = openPublicApi(terminal, values);
  const { agent_id: id, name } = await findAgent(api, idOrName);
  const version = await api.ask<VersionSummary>("POST", `/v1/agent/agents/${id}/publish`);
  if (values.json === true) terminal.stdout.write(json(version));
  else terminal.stderr.write(`Version ${version.version_number} of "${name}" is live: parley talk ${id}\n`);
  return exitCodes.ok;
}

async function list(terminal: Terminal, values: OptionValues): Promise<number> {
  const agents = await listAgents(openPublicApi(terminal, values));
  terminal.stdout.write(values.json === true ? json(agents) : agentTable(agents));
  return exitCodes.ok;
}

function agentTable(agents: readonly AgentEntity[]): string {
  const rows = agents.map((agent) => [
    agent.agent_id,
    agent.name,
    agent.publication_state,
    agent.public_enabled ? "public" : "",
    agent.created_at.slice(0, 10),
  ]);
  return textTable([["ID", "NAME", "STATE", "ACCESS", "MADE"], ...rows]);
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
