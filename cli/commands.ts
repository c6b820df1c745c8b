import type { Command } from "./command.js";
import { agentsCommand } from "./commands/agents.js";
import { backupCommand } from "./commands/backup.js";
import { configCommand } from "./commands/config.js";
import { consoleCommand } from "./commands/console.js";
import { creditCommand } from "./commands/credit.js";
import { doctorCommand } from "./commands/doctor.js";
import { keysCommand } from "./commands/keys.js";
import { licencesCommand } from "./commands/licences.js";
import { modelsCommand } from "./commands/models.js";
import { restoreCommand } from "./commands/restore.js";
import { sayCommand } from "./commands/say.js";
import { talkCommand } from "./commands/talk.js";
import { transcribeCommand } from "./commands/transcribe.js";
import { teamsCommand } from "./commands/teams.js";
import { traceCommand } from "./commands/trace.js";
import { upCommand } from "./commands/up.js";
import { webhooksCommand } from "./commands/webhooks.js";

/** Every command, in the order in which the help lists them. */
export const commands: readonly Command[] = [
  upCommand,
  sayCommand,
  transcribeCommand,
  agentsCommand,
  talkCommand,
  consoleCommand,
  modelsCommand,
  teamsCommand,
  keysCommand,
  creditCommand,
  webhooksCommand,
  traceCommand,
  backupCommand,
  restoreCommand,
  configCommand,
  doctorCommand,
  licencesCommand,
];
