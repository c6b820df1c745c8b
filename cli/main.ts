import { join } from "node:path";
import { ConfigError } from "#common/config/config";
import { droppingOutput } from "#common/dropping-output";
import { LaunchError } from "#launcher/launch-error";
import { CommandError, commandHelp, exitCodes, parseCommandLine, type Terminal } from "./command.js";
import { allCommands, findCommand } from "./commands.js";

/** Runs one command line; gives the exit code. */
export function main(args: string[]): Promise<number> {
  return runCommandLine(args, {
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    // A launcher whose messages go into a file outlives a full disk.
    stderr: droppingOutput(
      process.stderr,
      (lines) => `parley: ${lines} messages were dropped: they could not be written`,
    ),
    distDirectory: join(import.meta.dirname, ".."),
  });
}

/** As `main`, with everything passed in. */
export async function runCommandLine(args: string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    terminal.stdout.write(await overview());
    return name === undefined ? exitCodes.usage : exitCodes.ok;
  }
  const command = await findCommand(name);
  if (command === null) {
    terminal.stderr.write(`parley: there is no command "${name}"\n\n${await overview()}`);
    return exitCodes.usage;
  }
  try {
    const { positionals, values } = parseCommandLine(command, rest);
    if (values.help === true) {
      terminal.stdout.write(commandHelp(command));
      return exitCodes.ok;
    }
    return await command.run(terminal, positionals, values);
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof LaunchError || error instanceof ConfigError)) throw error;
    terminal.stderr.write(`parley: ${error.message}\n`);
    if (!(error instanceof CommandError)) return exitCodes.failed;
    if (error.exitCode === exitCodes.usage) terminal.stderr.write(`\n${commandHelp(command)}`);
    return error.exitCode;
  }
}

async function overview(): Promise<string> {
  const commands = await allCommands();
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    "Usage: parley <command> [options]",
    "",
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    "",
    "parley <command> --help tells more. Settings are environment variables: docs/configuration.md.",
    "",
  ].join("\n");
}
