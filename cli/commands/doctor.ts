import { accessSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { type Config, loadConfig } from "#common/config/config";
import { s3SettingsOf } from "#common/objects/s3-settings";
import { listenProblem } from "#launcher/port-check";
import { type RunRecord, readRunFile } from "#launcher/run-file";
import { type Command, CommandError, exitCodes, type OptionValues, stringOf } from "../command.js";
import type { Finding } from "../doctor/finding.js";
import { examineLiveKit, gatewayOf } from "../doctor/livekit.js";
import { examineObjectStore } from "../doctor/object-store.js";
import { examinePhone } from "../doctor/phone/phone.js";
import { findProgram } from "#launcher/find-program";

export const doctorCommand: Command = {
  name: "doctor",
  arguments: "[phone]",
  summary: "Says what is missing on this machine and how to get it.",
  details: [
    "  doctor phone   looks at what phone calls need: LiveKit's SIP service, trunks, rules, and perhaps a call",
  ],
  options: {
    call: {
      type: "string",
      value: "NUMBER",
      doc: "phone: calls a number that echoes, and waits to hear itself again.",
    },
    from: { type: "string", value: "NUMBER", doc: "phone: the number that calls; else any that may." },
    sip: { type: "string", value: "HOST", doc: "phone: asks LiveKit SIP there (host[:port]) whether it answers." },
    json: { type: "boolean", doc: "As JSON." },
  },
  async run(terminal, positionals, values) {
    const findings = isAboutPhone(positionals, values)
      ? await examinePhoneOf(terminal.environment, values)
      : await examine(terminal.environment, terminal.distDirectory);
    const text = values.json === true ? JSON.stringify(findings, null, 2) : findings.map(describe).join("\n");
    terminal.stdout.write(`${text}\n`);
    return findings.some((finding) => finding.state === "missing") ? exitCodes.failed : exitCodes.ok;
  },
};

/** Throws CommandError (usage) for what makes no sense. */
function isAboutPhone(positionals: readonly string[], values: OptionValues): boolean {
  const [topic, ...more] = positionals;
  if (topic === "phone" && more.length === 0) return true;
  if (topic !== undefined) throw new CommandError("say: doctor, or doctor phone", exitCodes.usage);
  const alien = ["call", "from", "sip"].find((name) => values[name] !== undefined);
  if (alien !== undefined) throw new CommandError(`--${alien} belongs to doctor phone`, exitCodes.usage);
  return false;
}

async function examinePhoneOf(
  environment: Record<string, string | undefined>,
  values: OptionValues,
): Promise<Finding[]> {
  const config = loadConfig(environment);
  const running = readRunFile(resolve(config.PARLEY_DATA_DIR));
  return await examinePhone(gatewayOf(config, running), {
    sipAddress: stringOf(values.sip) ?? null,
    echoNumber: stringOf(values.call) ?? null,
    callingNumber: stringOf(values.from) ?? null,
  });
}

function describe({ subject, state, detail, remedy }: Finding): string {
  const mark = { ok: "✓", missing: "✗", optional: "–" }[state];
  return `${mark} ${subject}: ${detail}${remedy === null ? "" : `\n    ${remedy}`}`;
}

/** Looks at everything that Parley needs. Throws ConfigError when the settings are invalid. */
async function examine(environment: Record<string, string | undefined>, distDirectory: string): Promise<Finding[]> {
  const config = loadConfig(environment);
  const running = readRunFile(resolve(config.PARLEY_DATA_DIR));
  const program = (name: string, neededFor: string, unnecessary: string | null): Finding => {
    const path = findProgram(name, environment.PATH);
    if (path !== null) return { subject: name, state: "ok", detail: path, remedy: null };
    if (unnecessary !== null) return { subject: name, state: "optional", detail: unnecessary, remedy: null };
    return {
      subject: name,
      state: "missing",
      detail: `not installed; ${neededFor}`,
      remedy: `apt-get install -y ${name}`,
    };
  };
  const ffmpeg = program(
    "ffmpeg",
    "",
    "not installed; only AAC and M4A reference audio and the tests need it (apt-get install -y ffmpeg)",
  );
  return [
    { subject: "Node.js", state: "ok", detail: process.version, remedy: null },
    program("nats-server", "it joins the roles", config.NATS_URL === null ? null : "not needed: NATS_URL is set"),
    program("redis-server", "it caches keys", config.REDIS_URL === null ? null : "not needed: REDIS_URL is set"),
    espeak(),
    ffmpeg,
    dataDirectory(config),
    ...(await examineObjectStore(s3SettingsOf(config))),
    ...(await cluster(config, running)),
    ...(await examineLiveKit(gatewayOf(config, running), distDirectory)),
  ];
}

function espeak(): Finding {
  const subject = "espeak voice";
  try {
    createRequire(import.meta.url).resolve("@echogarden/espeak-ng-emscripten");
    return { subject, state: "ok", detail: "installed", remedy: null };
  } catch {
    // An optional dependency: its absence is a finding, not a fault.
    return {
      subject,
      state: "missing",
      detail: "the embedded voice's package is not installed",
      remedy: "npm install --include=optional",
    };
  }
}

function dataDirectory(config: Config): Finding {
  const path = resolve(config.PARLEY_DATA_DIR);
  const subject = "data directory";
  try {
    accessSync(firstExisting(path), constants.W_OK);
    return { subject, state: "ok", detail: path, remedy: null };
  } catch {
    // Not writable: told as a finding.
    return {
      subject,
      state: "missing",
      detail: `${path} cannot be written`,
      remedy: "set PARLEY_DATA_DIR to a folder that this user may write",
    };
  }
}

function firstExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : firstExisting(dirname(path));
}

/** The running cluster's health, or whether the port is free for one. */
async function cluster(config: Config, record: RunRecord | null): Promise<Finding[]> {
  if (record !== null) return [await health(record.baseUrl)];
  const problem = config.PORT === 0 ? null : await listenProblem(config.HOST, config.PORT);
  const subject = `port ${config.PORT}`;
  return [
    problem === null
      ? { subject, state: "ok", detail: "free", remedy: null }
      : { subject, state: "missing", detail: `cannot be listened on (${problem})`, remedy: "set PORT to another one" },
    { subject: "cluster", state: "optional", detail: "not running here", remedy: "npm start" },
  ];
}

/** What of `/health` matters here. */
const healthReport = z.object({ status: z.string(), problems: z.array(z.string()) });

async function health(baseUrl: string): Promise<Finding> {
  const subject = `cluster at ${baseUrl}`;
  try {
    const response = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(3000) });
    const { status, problems } = healthReport.parse(await response.json());
    const detail = problems.length === 0 ? status : `${status}: ${problems.join("; ")}`;
    return { subject, state: response.ok && status === "ok" ? "ok" : "missing", detail, remedy: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      subject,
      state: "missing",
      detail: `does not answer (${reason})`,
      remedy: "look into the data directory's logs/ folder",
    };
  }
}
