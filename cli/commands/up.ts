import { up } from "#launcher/up";
import { type Command, CommandError, exitCodes } from "../command.js";

export const upCommand: Command = {
  name: "up",
  arguments: "",
  summary: "Starts all of Parley on this machine and serves until Ctrl-C.",
  details: ["Settings come from environment variables; `parley config` shows them."],
  options: {
    "no-sample": { type: "boolean", doc: "Leaves out the sample agent that a new data directory gets." },
    watch: {
      type: "boolean",
      doc: "For work on Parley itself: compiles when a source changes and restarts the roles that changed.",
    },
  },
  run(terminal, positionals, values) {
    if (positionals.length > 0)
      throw new CommandError(`"up" takes no arguments, not "${positionals.join(" ")}"`, exitCodes.usage);
    return up({
      environment: terminal.environment,
      distDirectory: terminal.distDirectory,
      watch: values.watch === true,
      omitsSample: values["no-sample"] === true,
      // The clock begins with the process: setting up is part of what the person waits for.
      startedAtMs: 0,
      say: (line) => terminal.stderr.write(`${line}\n`),
    });
  },
};
