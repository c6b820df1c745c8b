import { type AddRequest, addModel, type Progress } from "../models/add-model.js";
import { type ModelShelf, openShelf, removeModel, type ShelvedModel } from "../models/model-shelf.js";
import { type Command, CommandError, exitCodes, type OptionValues, type Terminal } from "../command.js";
import { progressBar, readableBytes } from "../progress-bar.js";
import { textTable } from "../table.js";

const usage = "say: models list, models add FOLDER|URL, models verify [NAMES…], or models remove NAME";

export const modelsCommand: Command = {
  name: "models",
  arguments: "list|add|verify|remove",
  summary: "Lists, adds, tries and removes models.",
  details: [
    "  models list              every model that workers here find, and whether its files are whole",
    "  models add FOLDER|URL    copies a model's folder, or downloads a tar, tar.gz, zip or .onnx, tries it, and keeps it if it works",
    "  models verify [NAMES…]   loads each in a worker's process and speaks or recognizes one sentence; the exit code is 1 if any fails",
    "  models remove NAME       removes what was added",
    "Workers find added models when they start next. Layouts that load as they are: docs/models.md.",
  ],
  options: {
    name: { type: "string", value: "NAME", doc: "add: the model's name, where its folder has no model.yaml." },
    link: { type: "boolean", doc: "add: refer to the folder instead of copying it." },
    sha256: { type: "string", value: "HEX", doc: "add: SHA-256 of what the URL gives; required for one." },
    "config-sha256": {
      type: "string",
      value: "HEX",
      doc: "add: SHA-256 of the .onnx.json beside the URL of an .onnx.",
    },
    json: { type: "boolean", doc: "list, verify: as JSON." },
  },
  async run(terminal, positionals, values) {
    const [action, ...names] = positionals;
    const [name, ...more] = names;
    if (action !== "verify" && more.length > 0)
      throw new CommandError(`too many arguments: ${more.join(" ")}`, exitCodes.usage);
    const shelf = openShelf(terminal);
    if (action === "list" && name === undefined) return await list(terminal, shelf, values.json === true);
    if (action === "verify") return await verify(terminal, shelf, names, values.json === true);
    if (action === "add" && name !== undefined) return await add(terminal, shelf, addRequest(name, values));
    if (action === "remove" && name !== undefined) {
      await removeModel(shelf, name);
      terminal.stdout.write(`${name} is removed; workers that run now serve it until they end\n`);
      return exitCodes.ok;
    }
    throw new CommandError(usage, exitCodes.usage);
  },
};

/** What `add` is asked for. Throws CommandError (usage). */
function addRequest(source: string, values: OptionValues): AddRequest {
  return {
    source,
    name: typeof values.name === "string" ? values.name : null,
    link: values.link === true,
    sha256: sumOf("sha256", values),
    configSha256: sumOf("config-sha256", values),
  };
}

function sumOf(option: string, values: OptionValues): string | null {
  const value = values[option];
  if (typeof value !== "string") return null;
  if (!/^[0-9a-f]{64}$/i.test(value)) throw new CommandError(`--${option} is 64 hexadecimal digits`, exitCodes.usage);
  return value.toLowerCase();
}

async function list(terminal: Terminal, shelf: ModelShelf, asJson: boolean): Promise<number> {
  const models = await shelf.list([], false);
  if (asJson) writeJson(terminal, models);
  else {
    const rows = models.map(({ report, origin }) => [
      report.name,
      report.task ?? "?",
      report.engine ?? "?",
      report.languages.length === 0 ? "its own" : report.languages.join(","),
      readableBytes(report.bytes),
      origin,
      report.problem === null ? "whole" : `BROKEN: ${report.problem}`,
      shortened(report.licence ?? "?"),
    ]);
    terminal.stdout.write(
      textTable([["NAME", "TASK", "ENGINE", "LANGUAGES", "SIZE", "FROM", "FILES", "LICENCE"], ...rows]),
    );
  }
  return exitCodes.ok;
}

async function verify(
  terminal: Terminal,
  shelf: ModelShelf,
  names: readonly string[],
  asJson: boolean,
): Promise<number> {
  const models = await shelf.list(names, true);
  if (asJson) writeJson(terminal, models);
  else for (const model of models) terminal.stdout.write(describe(model));
  return models.some(({ report }) => report.problem !== null) ? exitCodes.failed : exitCodes.ok;
}

async function add(terminal: Terminal, shelf: ModelShelf, request: AddRequest): Promise<number> {
  const isTerminal = terminal.stderr.isTTY === true;
  const progress: Progress = (what, bytes, total) => {
    if (isTerminal) terminal.stderr.write(`\r\u001b[K${progressLine(what, bytes, total)}`);
  };
  try {
    const report = await addModel(shelf, request, progress);
    terminal.stdout.write(
      `${isTerminal ? "\r\u001b[K" : ""}${describe({ report, origin: request.link ? "linked" : "added" })}`,
    );
    terminal.stdout.write(
      `Added to ${report.folder}. Workers serve it when they start next; PARLEY_MODEL_MAP says for which names.\n`,
    );
    return exitCodes.ok;
  } finally {
    if (isTerminal) terminal.stderr.write("\r\u001b[K");
  }
}

/** One line while bytes come; without a total there is no bar. */
function progressLine(what: string, bytes: number, total: number | null): string {
  if (total !== null)
    return `${progressBar(total === 0 ? 1 : bytes / total)} ${what}, ${readableBytes(bytes)} of ${readableBytes(total)}`;
  return bytes === 0 ? `${what} …` : `${what}, ${readableBytes(bytes)}`;
}

function describe({ report, origin }: ShelvedModel): string {
  const { name, problem, trial } = report;
  if (problem !== null) return `✗ ${name} (${origin}): ${problem}\n`;
  if (trial === null) return `– ${name} (${origin}): not tried\n`;
  const speakers =
    trial.speakers.length > 1 ? `, ${trial.speakers.length} speakers (${shortened(trial.speakers.join(", "))})` : "";
  const languages = trial.languages.includes("*") ? "any language" : shortened(trial.languages.join(", "));
  const speed = `${trial.audioSeconds.toFixed(1)} s of audio at ${trial.realTimeFactor.toFixed(3)} of real time`;
  return [
    `✓ ${name} (${origin}): ${report.task} with ${report.engine} on ${trial.provider}, ${trial.sampleRate} Hz, ${languages}${speakers}\n`,
    `    ${trial.outcome}: ${speed}, loaded in ${(trial.loadMs / 1000).toFixed(1)} s\n`,
  ].join("");
}

function writeJson(terminal: Terminal, models: readonly ShelvedModel[]): void {
  terminal.stdout.write(
    `${JSON.stringify(
      models.map(({ report, origin }) => ({ ...report, origin })),
      null,
      2,
    )}\n`,
  );
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
