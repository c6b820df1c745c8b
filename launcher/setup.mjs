// What must be there before compiled code can run: plain JavaScript without dependencies, because nothing else works
// yet.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The folders that are compiled, as tsconfig.json lists them. */
export const rooms = (readJson("tsconfig.json").references ?? []).map(({ path }) => path);

function readJson(name) {
  return JSON.parse(readFileSync(join(root, name), "utf8"));
}

/** Something that the person at the terminal must do; `message` is one line. */
export class SetupError extends Error {}

/** Tells what is going on, on standard error: standard output belongs to the command. */
export function say(line) {
  process.stderr.write(`parley: ${line}\n`);
}

/** Throws SetupError when this Node.js cannot run Parley. */
export function requireNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 20 || major > 22 || (major === 20 && minor < 19)) {
    throw new SetupError(
      `Node.js 20.19 up to 22 is needed (20 is best tested), this is ${version}; get it from https://nodejs.org`,
    );
  }
}

function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}

const modulesStamp = () => join(root, "node_modules", ".parley-lock");

/** Whether node_modules holds what the lock file says. */
export function modulesAreCurrent() {
  const installed = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  const lock = join(root, "package-lock.json");
  if (existsSync(modulesStamp())) return readFileSync(modulesStamp(), "utf8") === sha256(readFileSync(lock));
  return statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
}

/** Installs the node modules when they are missing or not those of the lock file. */
export function ensureModules() {
  if (modulesAreCurrent()) return;
  say("installing node modules (npm ci; a minute or two the first time)");
  runNpm(["ci"]);
  writeFileSync(modulesStamp(), sha256(readFileSync(join(root, "package-lock.json"))));
}

/**
 * The embedded analytics engine, which the product does without and the tests want. It is not in package.json: its
 * packages for other systems are not in every registry, and a lock file that lacks them makes `npm ci` fail.
 */
const testModules = ["chdb@3.4.0"];

const missingTestModules = () =>
  testModules.filter((module) => !existsSync(join(root, "node_modules", module.slice(0, module.lastIndexOf("@")))));

/** Installs what only `npm run test:all` asks for. */
export function ensureTestModules() {
  const missing = missingTestModules();
  if (missing.length === 0) return;
  say(`installing ${missing.join(", ")} for the tests (half a gigabyte)`);
  runNpm(["install", "--no-save", "--no-package-lock", "--ignore-scripts", ...missing]);
}

/**
 * Builds LiveKit's server for the tests of rooms, some minutes, where it is not there yet. Throws a SetupError where
 * this machine cannot.
 */
export async function ensureLiveKit() {
  const compiled = (path) => import(pathToFileURL(join(root, "dist", path)).href);
  const [{ buildLiveKit, canBuildLiveKit, findLiveKit }, { systemClock }] = await Promise.all([
    compiled("launcher/livekit/build.js"),
    compiled("common/clock.js"),
  ]);
  const environment = process.env;
  if (findLiveKit(environment) !== null) return;
  if (!canBuildLiveKit(environment))
    throw new SetupError(
      "the tests of rooms need LiveKit's server: install Go (https://go.dev/dl), or put livekit-server on the PATH",
    );
  say("building LiveKit's server for the tests (some minutes, once)");
  const logFile = join(root, "dist", "livekit-build.log");
  try {
    await buildLiveKit({ environment, clock: systemClock, logFile, isIdle: false }).done;
  } catch (error) {
    throw new SetupError(`LiveKit: ${error.message}`);
  }
}

/**
 * Builds what renders and checks the chart, some minutes, and fetches Kubernetes' schemas, where they are not there yet.
 * Throws a SetupError where this machine cannot.
 */
export async function ensureChartPrograms() {
  const compiled = (path) => import(pathToFileURL(join(root, "dist/test/chart", path)).href);
  const [{ chartPrograms, findOrBuild, isBuilt }, { findOrFetchSchemas, hasSchemas }] = await Promise.all([
    compiled("programs.js"),
    compiled("schemas.js"),
  ]);
  const wanted = [chartPrograms.helm, chartPrograms.kubeconform];
  if (wanted.every(isBuilt) && hasSchemas()) return;
  say(
    "building helm and kubeconform, and fetching Kubernetes' schemas, for the tests of the chart (some minutes, once)",
  );
  try {
    wanted.forEach(findOrBuild);
    findOrFetchSchemas();
  } catch (error) {
    throw new SetupError(error.message);
  }
}

/** What the tests cannot try as things are, and the command that does, in one line; null when they try everything. */
export function leftOut() {
  const missing = missingTestModules();
  if (missing.length === 0) return null;
  return `left out: the tests of the embedded analytics engine (${missing.join(", ")}); npm run test:all installs it, half a gigabyte, and runs them`;
}

function runNpm(args) {
  // onnxruntime's CPU provider is in its npm package; its install script would fetch the CUDA one from elsewhere.
  const environment = { ...process.env, ONNXRUNTIME_NODE_INSTALL: "skip" };
  const result = spawnSync("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    env: environment,
  });
  if (result.error !== undefined)
    throw new SetupError(`npm could not be started (${result.error.message}); install it: apt-get install -y npm`);
  if (result.status !== 0) throw new SetupError(`npm ${args[0]} failed; its messages are above`);
}

/** Every file under `directory` that `wanted` accepts, as paths. */
function filesUnder(directory, wanted) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** Changes when any source file is added, removed or written. */
function sourceFingerprint() {
  const shared = ["tsconfig.base.json", "tsconfig.json", "package.json"].map((name) => join(root, name));
  const sources = rooms.flatMap((room) =>
    filesUnder(join(root, room), (name) => /\.tsx?$/.test(name) || name === "tsconfig.json"),
  );
  return fingerprintOf([...shared, ...sources, ...consoleSources()]);
}

const fingerprintOf = (files) =>
  sha256(
    [...new Set(files)]
      .sort()
      .map((file) => `${file} ${statSync(file).size} ${statSync(file).mtimeMs}`)
      .join("\n"),
  );

/** What the console, the widget and the reference are bundled from; nothing in a project without one. */
function consoleSources() {
  const own = filesUnder(join(root, "web"), (name) => !name.endsWith(".test.ts"));
  if (own.length === 0) return [];
  const shared = filesUnder(join(root, "protocol"), (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  return [...own, ...shared, join(root, "package-lock.json")];
}

const buildStamp = () => join(root, "dist", ".parley-build");

/** Whether `dist/` is the compiled form of the sources as they are now. */
export function buildIsCurrent() {
  return existsSync(buildStamp()) && readFileSync(buildStamp(), "utf8") === sourceFingerprint();
}

const compiledEnding = /\.(js|d\.ts)(\.map)?$/;

/** Removes compiled files whose source is gone: a deleted test must not run on. What is bundled has no source. */
function removeStaleOutput() {
  for (const file of filesUnder(join(root, "dist"), (name) => compiledEnding.test(name))) {
    if (bundledFolders.some((folder) => file.startsWith(join(root, "dist", folder, "/")))) continue;
    const source = join(root, relative(join(root, "dist"), file).replace(compiledEnding, ".ts"));
    if (!existsSync(source) && !existsSync(`${source}x`)) rmSync(file);
  }
}

/** What Vite makes of `web/`, below `dist/`, and how: the console, the widget that other pages embed, and the reference. */
const bundles = [
  { output: "console/index.html", config: "web/vite.config.mjs" },
  { output: "widget/widget.js", config: "web/widget/vite.config.mjs" },
  { output: "reference/assets", config: "web/reference/vite.config.mjs" },
];
const bundledFolders = ["console", "widget", "reference", "widget-package"];
const consoleStamp = () => join(root, "dist", ".parley-console");

/** Bundles the console, the widget and the reference when one of its files changed since the last time: a few seconds. */
export function ensureConsole() {
  const sources = consoleSources();
  if (sources.length === 0) return;
  const fingerprint = fingerprintOf(sources);
  const isCurrent = [...bundles.map(({ output }) => join(root, "dist", output)), consoleStamp()].every(existsSync);
  if (isCurrent && readFileSync(consoleStamp(), "utf8") === fingerprint) return;
  say("bundling the console, the widget and the reference");
  rmSync(consoleStamp(), { force: true });
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  for (const { config } of bundles) {
    const result = spawnSync(process.execPath, [vite, "build", "--config", join(root, config)], {
      cwd: root,
      stdio: ["ignore", 2, 2],
      // A test run has its own, with which React's slow and large development build would be bundled.
      env: { ...process.env, NODE_ENV: "production" },
    });
    if (result.status !== 0) throw new SetupError(`${config} cannot be bundled; the bundler's messages are above`);
  }
  writeFileSync(consoleStamp(), fingerprint);
}

/** Compiles when a source changed since the last time. */
export function ensureBuild() {
  if (buildIsCurrent()) return;
  say("building");
  const fingerprint = sourceFingerprint();
  rmSync(buildStamp(), { force: true });
  removeStaleOutput();
  const result = spawnSync(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-b"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (result.status !== 0) throw new SetupError("the build failed; the compiler's messages are above");
  ensureConsole();
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(buildStamp(), fingerprint);
}

/**
 * Full path of a program, or null. Looks where Debian keeps servers too, which the PATH of ordinary users leaves out.
 */
export function findProgram(name) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin"];
  for (const folder of folders.filter((candidate) => candidate !== "")) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this folder: the next one.
    }
  }
  return null;
}

/** Debian packages for `npm start`; a configured server elsewhere makes its package unnecessary. */
export function serverPackages() {
  return [
    ...(process.env.NATS_URL || process.env.NATS_URL_FILE
      ? []
      : [{ name: "nats-server", isThere: () => findProgram("nats-server") !== null }]),
    ...(process.env.REDIS_URL || process.env.REDIS_URL_FILE
      ? []
      : [{ name: "redis-server", isThere: () => findProgram("redis-server") !== null }]),
  ];
}

/**
 * Debian packages that the tests need besides: a second decoder, a recognizer, an HTTP client, a browser and a telephone
 * that are not ours.
 */
export const testPackages = [
  { name: "chromium", isThere: () => findProgram("chromium") !== null },
  { name: "curl", isThere: () => findProgram("curl") !== null },
  { name: "ffmpeg", isThere: () => findProgram("ffmpeg") !== null && findProgram("ffprobe") !== null },
  {
    name: "pocketsphinx",
    isThere: () => findProgram("pocketsphinx_continuous") !== null || findProgram("pocketsphinx") !== null,
  },
  { name: "pocketsphinx-en-us", isThere: () => existsSync("/usr/share/pocketsphinx/model/en-us") },
  { name: "sip-tester", isThere: () => findProgram("sipp") !== null },
];

/**
 * How the missing ones of the packages are installed, as a shell command; null when none is missing. Throws a
 * SetupError that says what to run where this user may not.
 */
export function installCommand(packages) {
  const missing = missingNames(packages);
  if (missing.length === 0) return null;
  const prefix = aptPrefix();
  const command = (words) =>
    ["update", `install -y --no-install-recommends ${missing.join(" ")}`]
      .map((rest) => [...words, "apt-get", rest].join(" "))
      .join(" && ");
  if (prefix === null) throw new SetupError(`missing: ${missing.join(", ")}; as root run: ${command([])}`);
  return command(prefix);
}

const missingNames = (packages) => packages.filter(({ isThere }) => !isThere()).map(({ name }) => name);

/**
 * Installs those of the packages that are missing, where this user may; otherwise throws a SetupError that says what to
 * run.
 */
export function ensurePackages(packages) {
  const command = installCommand(packages);
  if (command === null) return;
  const missing = missingNames(packages);
  const prefix = aptPrefix() ?? [];
  say(`installing ${missing.join(", ")}: ${command}`);
  const apt = (...args) => {
    const [program, ...rest] = [
      ...prefix,
      "env",
      "DEBIAN_FRONTEND=noninteractive",
      "apt-get",
      "-q",
      "-o",
      "DPkg::Lock::Timeout=120",
      ...args,
    ];
    const result = spawnSync(program, rest, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
    return result.status === 0 ? null : `${result.stdout}${result.stderr}`;
  };
  // Without fresh lists the known ones may still do.
  const updateProblem = apt("update");
  const problem = apt("install", "-y", "--no-install-recommends", ...missing);
  if (problem !== null) {
    process.stderr.write(`${updateProblem ?? ""}${problem}`);
    throw new SetupError(`apt-get could not install ${missing.join(", ")}; its messages are above. It was: ${command}`);
  }
}

/** How this user may run apt-get: [] as root, through sudo when it asks for no password, null when not at all. */
function aptPrefix() {
  if (findProgram("apt-get") === null) return null;
  if (process.getuid?.() === 0) return [];
  if (findProgram("sudo") !== null && spawnSync("sudo", ["-n", "true"], { stdio: "ignore" }).status === 0)
    return ["sudo", "-n"];
  return null;
}
