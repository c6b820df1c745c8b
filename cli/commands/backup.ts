import { resolve } from "node:path";
import { loadConfig } from "#common/config/config";
import { connectToCluster } from "../ask-control-plane.js";
import { makeBackup } from "../backup/make-backup.js";
import { type Command, CommandError, exitCodes } from "../command.js";

export const backupCommand: Command = {
  name: "backup",
  arguments: "FILE",
  summary: "Writes what the running cluster stores in its data directory into one file.",
  details: [
    "  Records, keys, voices, recordings and added models, while requests go on. Whoever has FILE has all keys.",
    "  docs/backup.md says what is in it, and what becomes of what is written meanwhile.",
  ],
  options: {
    partial: { type: "boolean", doc: "Also where Postgres, NATS or S3 servers of yours hold a part of the data." },
  },
  async run(terminal, positionals, values) {
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new CommandError("say: backup FILE", exitCodes.usage);
    const config = loadConfig(terminal.environment);
    const bus = await connectToCluster(terminal);
    try {
      const { objects, leftOut } = await makeBackup({
        ...{ bus, file: resolve(file), dataDirectory: resolve(config.PARLEY_DATA_DIR), natsUrl: config.NATS_URL },
        ...{ isPartial: values.partial === true, now: () => new Date() },
      });
      for (const line of leftOut) terminal.stderr.write(`Not in it: ${line}.\n`);
      if (config.PARLEY_SECRET_KEY !== null)
        terminal.stderr.write("Not in it: PARLEY_SECRET_KEY, without which sealed credentials do not open.\n");
      terminal.stderr.write(`${file} is whole, with ${objects} objects. Keep it as safe as the data directory.\n`);
    } finally {
      await bus.close();
    }
    return exitCodes.ok;
  },
};
