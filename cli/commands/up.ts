import { up } from "#launcher/up";
import { type Command, CommandError, exitCodes } from "../command.js";

export const upCommand: Command = {
  name: "up",
  arguments: "",
  summary: "Starts all of Parley on this machine and serves until Ctrl-C.",
  details: ["Settings come from environment variables; `parley config` shows them."],
  options: {},
  run(terminal, positionals) {
    if (positionals.length > 0)
      throw new CommandError(`"up" takes no arguments, not "${positionals.join(" ")}"`, exitCodes.usage);
    return up({
      environment: terminal.environment,
      distDirectory: terminal.distDirectory,
      // The clock begins with the process: setting up is part of what the person waits for.
      startedAtMs: 0,
      say: (line) => terminal.stderr.write(`${line}\n`),
    });
  },
};
