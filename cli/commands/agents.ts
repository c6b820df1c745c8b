import type { AgentEntity } from "#protocol/agents/agent";
import type { VersionSummary } from "#protocol/agents/version";
import { systemClock } from "#common/clock";
import { createAgent, readNewAgent } from "../agents/create-agent.js";
import { findAgent, listAgents } from "../agents/find-agent.js";
import { Folder } from "../agents-as-files/folder.js";
import { type PulledFile, pullAgents } from "../agents-as-files/pull.js";
import { type PushedFile, pushFolder } from "../agents-as-files/push.js";
import { countRuns, describeRun, passRate, runAgentTests } from "../agents-as-files/run-tests.js";
import { type Command, CommandError, exitCodes, type OptionValues, stringOf, type Terminal } from "../command.js";
import { apiOptions, openPublicApi, type PublicApi } from "../public-api.js";
import { textTable } from "../table.js";

export const agentsCommand: Command = {
  name: "agents",
  arguments: "create|publish|list|pull|push|test",
  summary: "Makes, publishes, lists and tests agents of the running cluster, and keeps them as files.",
  details: [
    "  agents create NAME     prints the new agent's id; sessions need a published version",
    "  agents publish AGENT   its draft is what new sessions run; AGENT is an id, or a name that only one has",
    "  agents list            one agent a line",
    "  agents pull [AGENT…]   writes agents, their tools and tests as YAML files: those named, else those in the folder, else all",
    "  agents push            makes and changes on the service what is new and changed in the folder",
    "  agents test [AGENT…]   runs the tests of agents' drafts; exits with 1 where too few pass",
    "What changed on both sides since the last pull or push is refused. docs/agents-as-files.md has the format.",
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
    voice: {
      type: "string",
      value: "ID",
      doc: "create: a saved voice, or a speaker by name; the service's own when absent.",
    },
    language: { type: "string", value: "CODE", doc: "create: the language that it speaks; en when absent." },
    public: { type: "boolean", doc: "create: pages of this machine may talk to it without a key." },
    dir: {
      type: "string",
      value: "PATH",
      doc: "pull, push, test: the folder of the files; the current one when absent.",
    },
    force: { type: "boolean", doc: "pull: over changes of files; push: over changes on the service." },
    "dry-run": { type: "boolean", doc: "push: only says what it would do." },
    publish: { type: "boolean", doc: "push: and publishes the agents of the folder." },
    repeat: { type: "string", value: "COUNT", doc: "test: runs each test so often; as it says itself when absent." },
    "pass-rate": {
      type: "string",
      value: "RATE",
      doc: "test: the share of runs that must pass, 0 to 1; 1 when absent.",
    },
    timeout: { type: "string", value: "SECONDS", doc: "test: waits so long for each agent; 900 when absent." },
    json: { type: "boolean", doc: "As JSON." },
    ...apiOptions,
  },
  async run(terminal, [action, ...positionals], values) {
    if (action === "create") return await create(terminal, positionals, values);
    if (action === "pull") return await pull(terminal, positionals, values);
    if (action === "push" && positionals.length === 0) return await push(terminal, values);
    if (action === "test") return await test(terminal, positionals, values);
    const [agent, ...more] = positionals;
    if (action === "publish" && agent !== undefined && more.length === 0) return await publish(terminal, agent, values);
    if (action === "list" && agent === undefined) return await list(terminal, values);
    throw new CommandError(
      "say: agents create NAME, publish AGENT, list, pull [AGENT…], push, or test [AGENT…]",
      exitCodes.usage,
    );
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

const folderOf = (api: PublicApi, values: OptionValues): Folder => new Folder(stringOf(values.dir) ?? ".", api.baseUrl);

async function pull(terminal: Terminal, names: string[], values: OptionValues): Promise<number> {
  const api = openPublicApi(terminal, values);
  const folder = folderOf(api, values);
  const chosen = await chooseAgents(api, folder, names);
  const ids = chosen.length > 0 ? chosen : (await listAgents(api)).map((agent) => agent.agent_id);
  const files = await pullAgents(api, folder, ids, { force: values.force === true });
  terminal.stdout.write(values.json === true ? json(files) : stepLines(files));
  return exitCodes.ok;
}

async function push(terminal: Terminal, values: OptionValues): Promise<number> {
  const api = openPublicApi(terminal, values);
  const folder = folderOf(api, values);
  const dryRun = values["dry-run"] === true;
  const files = await pushFolder(api, folder, { force: values.force === true, dryRun });
  terminal.stdout.write(values.json === true ? json(files) : stepLines(files));
  if (values.publish !== true || dryRun) return exitCodes.ok;
  for (const id of await chooseAgents(api, folder, [])) {
    const version = await api.ask<VersionSummary>("POST", `/v1/agent/agents/${id}/publish`);
    terminal.stderr.write(`Version ${version.version_number} of ${id} is live.\n`);
  }
  return exitCodes.ok;
}

async function test(terminal: Terminal, names: string[], values: OptionValues): Promise<number> {
  const limits = {
    repeats: values.repeat === undefined ? null : numberOf(values, "repeat", 1, 20),
    timeoutMs: 1000 * (values.timeout === undefined ? 900 : numberOf(values, "timeout", 1, 86_400)),
  };
  const leastRate = values["pass-rate"] === undefined ? 1 : numberOf(values, "pass-rate", 0, 1);
  const api = openPublicApi(terminal, values);
  const ids = await chooseAgents(api, folderOf(api, values), names);
  if (ids.length === 0) throw new CommandError("say which agents: none is in this folder", exitCodes.usage);
  const batches = [];
  for (const id of ids) {
    const batch = await runAgentTests(api, id, { ...limits, clock: systemClock });
    batches.push(batch);
    if (values.json !== true) terminal.stdout.write(batch.runs.map((run) => `${describeRun(run)}\n`).join(""));
    terminal.stderr.write(`${id}: ${countRuns(batch)}\n`);
  }
  if (values.json === true) terminal.stdout.write(json(batches));
  const rate = passRate(batches);
  if (rate >= leastRate) return exitCodes.ok;
  terminal.stderr.write(`${(100 * rate).toFixed(1)} % of the runs passed; ${100 * leastRate} % are asked for\n`);
  return exitCodes.failed;
}

/** Ids of the agents with these ids or names; without any, of those in the folder. */
async function chooseAgents(api: PublicApi, folder: Folder, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return Object.values((await folder.readState()).agents).map(({ id }) => id);
  return await Promise.all(names.map(async (name) => (await findAgent(api, name)).agent_id));
}

function numberOf(values: OptionValues, name: string, least: number, most: number): number {
  const value = Number(stringOf(values[name]));
  const isWhole = name === "pass-rate" || Number.isInteger(value);
  if (!(value >= least && value <= most && isWhole))
    throw new CommandError(`--${name} is a number from ${least} to ${most}`, exitCodes.usage);
  return value;
}

const stepLines = (files: readonly (PulledFile | PushedFile)[]): string =>
  textTable(files.map(({ kind, name, step }) => [step, `${kind}/${name}.yaml`]));

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
