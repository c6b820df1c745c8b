import type { Readable, Writable } from "node:stream";
import { parseArgs, type ParseArgsConfig } from "node:util";

/** What every command gets to work with: nothing is taken from the process behind its back. */
export interface Terminal {
  environment: Record<string, string | undefined>;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
  /** Where the compiled rooms lie. */
  distDirectory: string;
}

/** What a command's run means to the shell. */
export const exitCodes = {
  ok: 0,
  /** It was tried and did not work. */
  failed: 1,
  /** The command line makes no sense. */
  usage: 2,
  /** No running cluster answers. */
  unreachable: 3,
} as const;

/** Thrown by a command that cannot go on; `message` is for the person at the terminal. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  constructor(
    message: string,
    readonly exitCode: number = exitCodes.failed,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface CommandOption {
  type: "string" | "boolean";
  short?: string;
  /** Name of the value in the help. */
  value?: string;
  /** May be given several times; the values are a list then. */
  multiple?: boolean;
  doc: string;
}

/** Values of a command's options, by long name. */
export type OptionValues = Record<string, string | boolean | readonly string[] | undefined>;

/** An option's value where it is one text. */
export function stringOf(value: OptionValues[string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export interface Command {
  name: string;
  /** Arguments as the help shows them. */
  arguments: string;
  /** One line. */
  summary: string;
  /** Further lines of its help. */
  details?: string[];
  options: Record<string, CommandOption>;
  /** Gives the exit code; throws CommandError. */
  run(terminal: Terminal, positionals: string[], values: OptionValues): Promise<number>;
}

/** Separates options from the rest. Throws CommandError (usage) for options that the command does not know. */
export function parseCommandLine(command: Command, args: string[]): { positionals: string[]; values: OptionValues } {
  const options: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const [name, { type, short, multiple = false }] of Object.entries(command.options))
    options[name] = short === undefined ? { type, multiple } : { type, multiple, short };
  try {
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true, strict: true });
    return { positionals, values: values as OptionValues };
  } catch (cause) {
    const message = cause instanceof Error ? (cause.message.split(". ")[0] ?? cause.message) : String(cause);
    throw new CommandError(message, exitCodes.usage, { cause });
  }
}

/** A command's own help. */
export function commandHelp(command: Command): string {
  const rows = [
    ...Object.entries(command.options),
    ["help", { type: "boolean", short: "h", doc: "This help." }] as [string, CommandOption],
  ].map(
    ([name, option]) =>
      [
        `${option.short === undefined ? "    " : `-${option.short}, `}--${name}${option.value === undefined ? "" : ` ${option.value}`}`,
        option.doc,
      ] as const,
  );
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    `Usage: parley ${command.name}${command.arguments === "" ? "" : ` ${command.arguments}`}`,
    "",
    command.summary,
    ...(command.details ?? []),
    "",
    ...rows.map(([left, doc]) => `  ${left.padEnd(width)}  ${doc}`),
    "",
  ].join("\n");
}
