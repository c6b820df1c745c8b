import { resolve } from "node:path";
import { loadConfig } from "#common/config/config";
import { restoreBackup } from "../backup/restore-backup.js";
import { type Command, CommandError, exitCodes } from "../command.js";

export const restoreCommand: Command = {
  name: "restore",
  arguments: "FILE",
  summary: "Puts a backup into an empty data directory, for the next start.",
  details: ["  PARLEY_DATA_DIR names the directory. What is in one is never overwritten: move it away first."],
  options: {},
  async run(terminal, positionals) {
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0) throw new CommandError("say: restore FILE", exitCodes.usage);
    const config = loadConfig(terminal.environment);
    const dataDirectory = resolve(config.PARLEY_DATA_DIR);
    const { manifest, objects } = await restoreBackup({ file: resolve(file), dataDirectory, natsUrl: config.NATS_URL });
    for (const line of manifest.leftOut) terminal.stderr.write(`Was not in it: ${line}.\n`);
    terminal.stderr.write(
      `${dataDirectory} is as it was at ${manifest.madeAt} (Parley ${manifest.version}), with ${objects} objects.\n`,
    );
    return exitCodes.ok;
  },
};
