// `npm run test:s3`: the tests of S3 stores against a real server, Versity's S3 gateway, which it builds from its Go
// module once, some two minutes.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { newIdentifier } from "#common/identifier";
import type { S3Settings } from "#common/objects/s3-settings";
import { spawnGuarded } from "#launcher/guarded-process";
import { findFreePorts } from "../harness/servers.js";
import { until } from "../harness/processes.js";
import { S3_SETTINGS_VARIABLE } from "../harness/s3.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { root } from "../structure/sources.js";

const VERSION = "1.8.0";
const MODULE = "github.com/versity/versitygw/cmd/versitygw";
const BUCKET = "parley-test";

/** Builds the gateway where it is not there yet; null where that fails. */
function findOrBuild(): string | null {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const folder = join(cache, "parley", "versitygw", VERSION);
  const program = join(folder, "versitygw");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  console.error("building Versity's S3 gateway (some two minutes, once)");
  const environment = { ...process.env, GOBIN: folder };
  const args = ["install", "-ldflags", "-s -w", `${MODULE}@v${VERSION}`];
  const { status } = spawnSync("go", args, { env: environment, stdio: ["ignore", "ignore", "inherit"] });
  return status === 0 ? program : null;
}

async function main(): Promise<number> {
  const program = findOrBuild();
  if (program === null) {
    console.error("s3: the server could not be built; it needs Go (https://go.dev/dl)");
    return 1;
  }
  const directory = temporaryDirectory("s3");
  const endpoint = `http://127.0.0.1:${await findFreePorts(1)}`;
  const settings: S3Settings = {
    ...{ endpoint, publicEndpoint: endpoint, bucket: BUCKET, region: "test-1", pathStyle: true },
    ...{ accessKeyId: "TESTKEY", secretAccessKey: newIdentifier() },
  };
  for (const folder of [join("objects", BUCKET), "sidecar"])
    mkdirSync(join(directory.path, folder), { recursive: true });
  const server = await spawnGuarded({
    command: program,
    args: [
      ...["--port", new URL(endpoint).host, "--region", settings.region, "--quiet"],
      ...["--access", settings.accessKeyId, "--secret", settings.secretAccessKey],
      // Not every disk has extended attributes, where it would keep the types of objects.
      ...["posix", "--sidecar", join(directory.path, "sidecar"), join(directory.path, "objects")],
    ],
    logFile: join(directory.path, "server.log"),
  });
  try {
    const answers = (): Promise<boolean> =>
      fetch(endpoint).then(
        () => true,
        () => false,
      );
    await until(answers, { withinMs: 30_000, what: "the S3 server to answer" });
    const environment = { ...process.env, [S3_SETTINGS_VARIABLE]: JSON.stringify(settings) };
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const args = [vitest, "run", "test/s3", ...process.argv.slice(2)];
    return spawnSync(process.execPath, args, { cwd: root, env: environment, stdio: "inherit" }).status ?? 1;
  } finally {
    await server.stop();
    directory.remove();
  }
}

process.exitCode = await main();
