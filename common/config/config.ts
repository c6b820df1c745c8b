import { readFileSync } from "node:fs";
import { sampleRatesByFormat } from "#protocol/speech/request";
import { numberForms } from "#protocol/transcription/request";
import { isMistypedApiKey } from "../api-key.js";
import { loadSettings } from "./load-settings.js";
import { phoneProblems, phoneSettings } from "./phone-settings.js";
import { choice, integer, list, map, oneOfNumbers, prices, type Setting, text, url } from "./setting.js";

/**
 * Every variable that Parley reads, declared once. `.env.example` and `docs/configuration.md` are printed from this
 * table.
 */
export const declaration = {
  PORT: integer({
    default: 8080,
    min: 0,
    max: 65535,
    doc: "Port of the edge, the only public listener; 0 picks a free one.",
  }),
  HOST: text({ default: "127.0.0.1", doc: "Address that the edge listens on; 0.0.0.0 for all." }),
  LOG_LEVEL: choice({
    default: "info",
    values: ["trace", "debug", "info", "warn", "error", "fatal"],
    doc: "Least severe log line that is printed.",
  }),
  PARLEY_DATA_DIR: text({
    default: "./data",
    doc: "Where the embedded database, NATS's object store and the development key live.",
  }),
  PARLEY_API_KEY: text({
    secret: true,
    doc: "The development key, with credit and every scope. Generated once and kept in the data directory when absent.",
  }),
  PARLEY_SECRET_KEY: text({
    secret: true,
    doc: "Seals credentials in the database; 32 characters or more, several (newest first) separated by commas. Made in the data directory when absent, so roles on several machines need it set: control planes seal and agents open.",
  }),
  NATS_URL: url({
    schemes: ["nats", "tls"],
    doc: "NATS server that joins the roles. The launcher starts its own on a free loopback port when absent.",
  }),
  REDIS_URL: url({
    schemes: ["redis", "rediss"],
    doc: "Redis server for the key cache and for what callers without a key may do in a minute. The launcher starts its own on a free loopback port when absent.",
  }),
  DATABASE_URL: url({
    schemes: ["postgres", "postgresql"],
    secret: true,
    doc: "Postgres server for records. Embedded PGlite in the data directory when absent.",
  }),
  CLICKHOUSE_URL: url({
    schemes: ["http", "https"],
    secret: true,
    doc: "ClickHouse server for usage, with user, password and database in the URL. The embedded engine (the optional package chdb) when absent; without that, usage is answered from the records' database.",
  }),
  S3_BUCKET: text({
    doc: "Bucket of an S3-compatible store that keeps recordings and the samples and covers of voices. NATS's object store keeps them when absent.",
  }),
  S3_ENDPOINT: url({
    schemes: ["http", "https"],
    doc: "Address of the S3-compatible store, without the bucket; it may be a private one. Amazon's of S3_REGION when absent.",
  }),
  S3_PUBLIC_ENDPOINT: url({
    schemes: ["http", "https"],
    doc: "Address of the same store that downloads of recordings are sent to; S3_ENDPOINT when absent.",
  }),
  S3_REGION: text({ default: "us-east-1", doc: "Region of the bucket; many stores take any." }),
  S3_ACCESS_KEY_ID: text({ doc: "Key of the S3-compatible store; needed beside S3_BUCKET." }),
  S3_SECRET_ACCESS_KEY: text({ secret: true, doc: "Secret of the key." }),
  S3_PATH_STYLE: choice({
    default: "on",
    values: ["on", "off"],
    doc: "Whether the bucket stands in the path of the store's addresses (`https://s3.example/bucket`), or off, before its name (`https://bucket.s3.example`).",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url({
    schemes: ["http", "https"],
    doc: "OpenTelemetry collector that every role sends its spans to, over gRPC (port 4317 as a rule). Nothing is traced when absent.",
  }),
  LIVEKIT_URL: url({
    schemes: ["ws", "wss", "http", "https"],
    doc: "LiveKit server, or LiveKit Cloud, that holds the rooms of conversations. The launcher runs its own on loopback when absent.",
  }),
  LIVEKIT_API_KEY: text({ doc: "Key of the LiveKit server at LIVEKIT_URL." }),
  LIVEKIT_API_SECRET: text({ secret: true, doc: "Secret of the key." }),
  LIVEKIT_PUBLIC_URL: url({
    schemes: ["ws", "wss", "http", "https"],
    doc: "Address of the LiveKit server that callers are told; LIVEKIT_URL when absent.",
  }),
  PARLEY_LIVEKIT: choice({
    default: "auto",
    values: ["auto", "off"],
    doc: "Whether the launcher runs a LiveKit server of its own where LIVEKIT_URL is absent: `livekit-server` on the PATH, else one that it builds once, in the background, where Go is installed.",
  }),
  ...phoneSettings,
  PARLEY_SAMPLE: choice({
    default: "auto",
    values: ["auto", "on", "off"],
    doc: "Whether a new database gets a sample agent, `Parley guide`, public to pages of this machine: auto where `parley up` makes it (not with `--no-sample`), on always. An existing database never gets one.",
  }),
  PARLEY_SPANS: choice({
    default: "auto",
    values: ["auto", "on", "off"],
    doc: "Whether the analytics engine keeps spans for `/v1/traces` and `parley trace`, two weeks of them: auto keeps them where CLICKHOUSE_URL is set, on also in the embedded engine.",
  }),
  PARLEY_METRICS_PORT: integer({
    default: 0,
    min: 0,
    max: 65000,
    doc: "Port on which every role but the edge, which has /metrics, answers Prometheus, and /startup, /live and /ready to whatever looks after the process; 0 is none. Roles that the launcher starts take this port and those after it, in the order of its list.",
  }),
  PARLEY_CONSOLE: choice({
    default: "on",
    values: ["on", "off"],
    doc: "Whether the edge serves the console at /console, and lets people sign in there.",
  }),
  PARLEY_DEMO: choice({
    default: "off",
    values: ["on", "off"],
    doc: "Whether the edge serves a sample page with the widget at /demo.",
  }),
  PARLEY_PUBLIC_METRICS: choice({
    default: "on",
    values: ["on", "off"],
    doc: "Whether the edge answers /metrics on its public port; off, it answers at PARLEY_METRICS_PORT as the other roles do.",
  }),
  PARLEY_OPERATOR_TOKEN: text({
    secret: true,
    doc: "With it, the edge's /metrics needs this token as a bearer, and /health says only whether all is well to whoever lacks it.",
  }),
  PARLEY_SCHEDULERS: integer({ default: 1, min: 1, max: 64, doc: "Schedulers that the launcher starts." }),
  PARLEY_WORKERS: integer({ default: 2, min: 1, max: 256, doc: "Worker processes that the launcher starts." }),
  PARLEY_AGENTS: integer({
    default: 1,
    min: 0,
    max: 64,
    doc: "Runtimes of conversations that the launcher starts; none holds any with 0.",
  }),
  PARLEY_WORKER_SLOTS: integer({
    default: 1,
    min: 1,
    max: 256,
    doc: "Engine calls that one worker runs at once; one thread or engine process each.",
  }),
  PARLEY_WORKER_LIVE_SLOTS: integer({
    default: 1,
    min: 0,
    max: 16,
    doc: "Further engine calls of each worker that only speech that somebody waits for may use, so that a first sound never waits behind long work; one thread each, on which every voice is opened once more.",
  }),
  PARLEY_WORKER_MODELS: list({ default: [], doc: "Names of the model folders that a worker serves; all when empty." }),
  PARLEY_MODELS: list({ default: [], doc: "Folders searched for model folders, besides the embedded `models/`." }),
  PARLEY_MODEL_MAP: map({
    default: {
      "s2.1-pro": "parley-en+espeak",
      "s2.1-pro-free": "parley-en+espeak",
      "s2-pro": "parley-en+espeak",
      s1: "parley-en+espeak",
      "transcribe-1": "parley-asr-en",
    },
    doc: "Which model folder serves each service name; of several, joined by +, the first that is served and speaks a text's language.",
  }),
  PARLEY_ASR_WORDS: list({
    // The guide of a new data directory is asked "What is Parley?".
    default: ["Parley"],
    doc: "Words that transcription finds more readily and writes as here: names of products and people, of several words each for itself. English, for recognizers with a words file; at most 200 that are not common are used. A comma alone is none.",
  }),
  PARLEY_ASR_NUMBERS: choice({
    default: "digits",
    values: numberForms,
    doc: 'How transcripts of English give numbers, amounts, times, days and phone numbers: "$25", or the words that were said. Conversations have the words.',
  }),
  PARLEY_ASR_PUNCTUATION: choice({
    default: "off",
    values: ["on", "off"],
    doc: "Whether transcripts of English get full stops, commas, question marks and capitals by rules of pauses and words, where the recognizer gives none.",
  }),
  PARLEY_MODEL_ALIASES: map({
    default: {},
    doc: "Further names accepted in the `model` header and where compatibility requests name a model, and the service name that serves each.",
  }),
  PARLEY_VOICE_ALIASES: map({
    default: {},
    doc: "Names of other vendors' preset voices that their clients may ask for on the compatibility layers (`alloy`, an ElevenLabs voice id), and the voice id that speaks for each; an empty id is the model's own voice.",
  }),
  PARLEY_COMPAT_PCM_RATE: oneOfNumbers({
    default: 24_000,
    values: sampleRatesByFormat.pcm,
    doc: "Samples a second of `pcm` on the OpenAI mounts where a request names no rate. OpenAI's clients play 24000; Fish Audio's own layer gives 44100.",
  }),
  PARLEY_PROVIDERS: list({
    default: ["cpu"],
    doc: "onnxruntime execution providers in order of preference: cuda, tensorrt, webgpu, cpu.",
  }),
  ...loadSettings,
  PARLEY_DRAIN_MS: integer({
    default: 15_000,
    min: 0,
    max: 3_600_000,
    doc: "How long running streams may take to finish when a process is asked to stop.",
  }),
  PARLEY_STALL_MS: integer({
    default: 30_000,
    min: 100,
    max: 3_600_000,
    doc: "A reader that takes nothing for this long is disconnected.",
  }),
  PARLEY_UPLOAD_MIN_RATE: integer({
    default: 16_384,
    min: 1,
    max: 1_000_000_000,
    doc: "Bytes a second that an upload of audio must bring, averaged over ten seconds; a slower one is refused with 408.",
  }),
  PARLEY_IDLE_SECONDS: integer({
    default: 300,
    min: 8,
    max: 960,
    doc: "A live WebSocket on which nothing at all arrives for this long is closed.",
  }),
  PARLEY_LIVE_REUSE_SECONDS: integer({
    default: 60,
    min: 0,
    max: 3600,
    doc: "How long a live WebSocket stays open after `finish` for another `start`, where its client flushed all it wrote or has started again before; a second at most for other clients; 0 closes at once.",
  }),
  LLM_BASE_URL: url({
    schemes: ["http", "https"],
    doc: "What stands before `/chat/completions` of the language model that agents answer with: any endpoint that speaks OpenAI's protocol (`https://api.openai.com/v1`, `http://localhost:11434/v1`). Agents that bring a model of their own do not use it. Without any, agents answer from their knowledge alone.",
  }),
  LLM_API_KEY: text({ secret: true, doc: "Key of LLM_BASE_URL; none is sent when absent." }),
  LLM_MODEL: text({ doc: "Model that LLM_BASE_URL is asked for; needed beside it unless all three tiers have one." }),
  LLM_MODEL_INSTANT: text({ doc: "Model of agents whose `llm.tier` is `instant`; LLM_MODEL when absent." }),
  LLM_MODEL_MEDIUM: text({ doc: "Model of agents whose `llm.tier` is `medium`, the default; LLM_MODEL when absent." }),
  LLM_MODEL_HIGH: text({ doc: "Model of agents whose `llm.tier` is `high`; LLM_MODEL when absent." }),
  LLM_PRICES: prices({
    doc: "What language models cost, for the cost of agent tests and of analyses after calls: `model=input/output` in US dollars for a million tokens, several separated by commas (`gpt-4o=2.5/10`). The cost is null for what has no price.",
  }),
  AGENT_TEST_LLM_BASE_URL: url({
    schemes: ["http", "https"],
    doc: "As LLM_BASE_URL, for the language model that judges agent tests and plays their callers. LLM_BASE_URL when absent, where AGENT_TEST_LLM_MODEL is set; else the agent's own model does both.",
  }),
  AGENT_TEST_LLM_API_KEY: text({ secret: true, doc: "Key of AGENT_TEST_LLM_BASE_URL; none is sent when absent." }),
  AGENT_TEST_LLM_MODEL: text({ doc: "Model that judges agent tests; needed beside AGENT_TEST_LLM_BASE_URL." }),
  AGENT_TEST_LLM_CALLER_MODEL: text({
    doc: "Model that plays the callers of agent tests; AGENT_TEST_LLM_MODEL when absent.",
  }),
  AGENT_TEST_CONCURRENCY: integer({
    default: 4,
    min: 1,
    max: 1000,
    doc: "Agent tests that run at once in the whole cluster.",
  }),
  AGENT_TEST_RETENTION_DAYS: integer({
    default: 90,
    min: 1,
    max: 36_500,
    doc: "Days for which batches of agent tests and their runs are kept.",
  }),
  AGENT_ANALYSIS_CONCURRENCY: integer({
    default: 4,
    min: 1,
    max: 1000,
    doc: "Calls that each runtime of conversations analyzes at once after their end.",
  }),
  AGENT_ANALYSIS_TOKENS: integer({
    default: 16_000,
    min: 500,
    max: 1_000_000,
    doc: "Longest conversation, in tokens, that a language model is shown whole for an analysis; of a longer one it sees the beginning and the end. The model's context must have room for it.",
  }),
  PARLEY_OUTBOUND_ALLOW: list({
    default: [],
    doc: "Private hosts that webhooks, tools and agents' own language models may call: names, addresses, blocks, each with `:port` or without. Dangerous on a shared service.",
  }),
  PARLEY_TRUSTED_PROXIES: list({
    default: [],
    doc: "Addresses and blocks of the proxies and balancers in front of the edge. Their `X-Forwarded-For` gives the client's address, which limits count by.",
  }),
  PARLEY_CONVERSATIONS: integer({
    default: 16,
    min: 1,
    max: 1000,
    doc: "Conversations that one runtime holds at once; each takes a few percent of a core there, besides what it hears and says.",
  }),
  PARLEY_AGENT_MEMORY_MB: integer({
    default: 1024,
    min: 0,
    max: 1_000_000,
    doc: "Resident memory past which an agent runtime gives its place to a fresh process once it holds no conversation; past one and a half times of this it hands its conversations over first. LiveKit's library loses half a megabyte with each conversation. 0 is no limit.",
  }),
  PARLEY_JOIN_SECONDS: integer({
    default: 60,
    min: 5,
    max: 3600,
    doc: "How long a caller may take to join a conversation; after it the session is failed and its credit returns.",
  }),
  PARLEY_PUBLIC_SESSIONS_PER_AGENT: integer({
    default: 60,
    min: 0,
    max: 1_000_000,
    doc: "Conversations that callers without a key may begin with one public agent in a minute; 0 is no limit.",
  }),
  PARLEY_PUBLIC_SESSIONS_PER_ADDRESS: integer({
    default: 10,
    min: 0,
    max: 1_000_000,
    doc: "Conversations that one client address may begin without a key in a minute; 0 is no limit.",
  }),
  PARLEY_RECORDING_URL_SECONDS: integer({
    default: 900,
    min: 10,
    max: 604_800,
    doc: "How long an address that a recording can be downloaded from is good.",
  }),
  PARLEY_RECORDING_DAYS: integer({
    default: 90,
    min: 0,
    max: 36_500,
    doc: "How long recordings of conversations are kept; then they are deleted. 0 keeps them for ever.",
  }),
  PARLEY_PUBLIC_URL: url({
    schemes: ["http", "https"],
    doc: "What addresses of recordings begin with: the edge as callers reach it. The address that a request was sent to when absent.",
  }),
  PARLEY_CORS_ALLOWED_ORIGINS: list({ default: ["*"], doc: "Origins whose pages may call the API from a browser." }),
} as const satisfies Record<string, Setting<unknown>>;

type Declaration = typeof declaration;

/** The compiled configuration: one frozen value per variable, named as the variable is. */
export type Config = { readonly [Name in keyof Declaration]: Declaration[Name] extends Setting<infer T> ? T : never };

/** Thrown when the environment does not make a configuration; `message` names every offending variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Variables that the launcher sets for its children; users do not. */
const internalVariables = new Set(["PARLEY_MEMBER_ID"]);

/**
 * Compiles the configuration from an environment. Any variable may be given as `NAME_FILE`, a path whose trimmed
 * content is the value. Unknown `PARLEY_*` names and invalid values throw one ConfigError that names them all.
 */
export function loadConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(declaration)) {
    try {
      values[name] = setting.read(readVariable(environment, name));
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  for (const name of Object.keys(environment)) {
    if (name.startsWith("PARLEY_") && !internalVariables.has(name) && !(name.replace(/_FILE$/, "") in declaration)) {
      problems.push(`${name} is not a known setting`);
    }
  }
  const key = values["PARLEY_API_KEY"];
  if (typeof key === "string" && isMistypedApiKey(key))
    problems.push("PARLEY_API_KEY looks like a key that Parley made, but its checksum is wrong: was it copied whole?");
  const keys = [values["LIVEKIT_API_KEY"], values["LIVEKIT_API_SECRET"]];
  if (typeof values["LIVEKIT_URL"] === "string" && keys.some((value) => typeof value !== "string"))
    problems.push("LIVEKIT_URL needs LIVEKIT_API_KEY and LIVEKIT_API_SECRET beside it");
  const storeKeys = [values["S3_ACCESS_KEY_ID"], values["S3_SECRET_ACCESS_KEY"]];
  if (typeof values["S3_BUCKET"] === "string" && storeKeys.some((value) => typeof value !== "string"))
    problems.push("S3_BUCKET needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY beside it");
  const store = [values["S3_ENDPOINT"], values["S3_PUBLIC_ENDPOINT"], ...storeKeys];
  if (typeof values["S3_BUCKET"] !== "string" && store.some((value) => typeof value === "string"))
    problems.push("S3_BUCKET is needed beside S3_ENDPOINT and its key");
  problems.push(...phoneProblems(values));
  if (typeof values["LLM_BASE_URL"] === "string" && !hasModelOfEveryTier(values))
    problems.push("LLM_MODEL is needed beside LLM_BASE_URL, or LLM_MODEL_INSTANT, LLM_MODEL_MEDIUM and LLM_MODEL_HIGH");
  const judge = values["AGENT_TEST_LLM_MODEL"];
  if (typeof values["AGENT_TEST_LLM_BASE_URL"] === "string" && typeof judge !== "string")
    problems.push("AGENT_TEST_LLM_MODEL is needed beside AGENT_TEST_LLM_BASE_URL");
  const testModels = [judge, values["AGENT_TEST_LLM_CALLER_MODEL"]];
  const isReachable = [values["AGENT_TEST_LLM_BASE_URL"], values["LLM_BASE_URL"]].some(
    (url) => typeof url === "string",
  );
  if (testModels.some((model) => typeof model === "string") && !isReachable)
    problems.push("AGENT_TEST_LLM_MODEL needs AGENT_TEST_LLM_BASE_URL or LLM_BASE_URL");
  if (problems.length > 0)
    throw new ConfigError(`Invalid configuration:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  return Object.freeze(values) as Config;
}

function hasModelOfEveryTier(values: Readonly<Record<string, unknown>>): boolean {
  const tiers = ["LLM_MODEL_INSTANT", "LLM_MODEL_MEDIUM", "LLM_MODEL_HIGH"];
  return typeof values["LLM_MODEL"] === "string" || tiers.every((name) => typeof values[name] === "string");
}

function readVariable(environment: Record<string, string | undefined>, name: string): string | undefined {
  const path = environment[`${name}_FILE`];
  if (path !== undefined && path !== "") return readFileSync(path, "utf8").trim();
  const value = environment[name];
  return value === "" ? undefined : value;
}
