import type { Command } from "./command.js";

/**
 * Every command, in the order in which the help lists them. Each is loaded when it is wanted: `up` stays for as long as
 * the cluster runs, with all that it has loaded.
 */
const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import("./commands/up.js")).upCommand,
  say: async () => (await import("./commands/say.js")).sayCommand,
  transcribe: async () => (await import("./commands/transcribe.js")).transcribeCommand,
  agents: async () => (await import("./commands/agents.js")).agentsCommand,
  talk: async () => (await import("./commands/talk.js")).talkCommand,
  console: async () => (await import("./commands/console.js")).consoleCommand,
  models: async () => (await import("./commands/models.js")).modelsCommand,
  teams: async () => (await import("./commands/teams.js")).teamsCommand,
  keys: async () => (await import("./commands/keys.js")).keysCommand,
  credit: async () => (await import("./commands/credit.js")).creditCommand,
  webhooks: async () => (await import("./commands/webhooks.js")).webhooksCommand,
  trace: async () => (await import("./commands/trace.js")).traceCommand,
  backup: async () => (await import("./commands/backup.js")).backupCommand,
  restore: async () => (await import("./commands/restore.js")).restoreCommand,
  config: async () => (await import("./commands/config.js")).configCommand,
  doctor: async () => (await import("./commands/doctor.js")).doctorCommand,
  licences: async () => (await import("./commands/licences.js")).licencesCommand,
};

/** The command of a name; null where there is none. */
export async function findCommand(name: string): Promise<Command | null> {
  return Object.hasOwn(loaders, name) ? ((await loaders[name]?.()) ?? null) : null;
}

/** All of them, for the help. */
export function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(loaders).map((load) => load()));
}
