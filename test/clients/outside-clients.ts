import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allModels, startCluster } from "../harness/cluster.js";
import { until } from "../harness/processes.js";
import { startTlsFront } from "./tls-front.js";

export interface OutsideClients {
  /** Settings of the cluster that they are run against. */
  settings?: Record<string, string>;
  program: string;
  args: string[];
  /** Folder to run in. */
  cwd?: string;
  /**
   * What the program finds in its environment besides the addresses, the key and the search path; `certificate` is a
   * file for those who check it.
   */
  environment(certificate: string): Record<string, string>;
}

/**
 * Runs client libraries in a program of their own against a cluster, in this process's terminal; gives the exit status.
 */
export async function runOutsideClients({
  settings = {},
  program,
  args,
  cwd,
  environment,
}: OutsideClients): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "parley-clients-"));
  // On a busy machine the first requests would be refused for the time that they take.
  const cluster = await startCluster({
    models: allModels,
    settings: { PARLEY_ADMISSION_WAIT_MS: "600000", ...settings },
    readyMs: 150_000,
  });
  const front = await startTlsFront(cluster.baseUrl);
  try {
    // The edge learns of a worker's models a heartbeat after the worker is ready.
    const hasRecognizer = async (): Promise<boolean> =>
      (await (await fetch(`${cluster.baseUrl}/health`)).text()).includes("parley-asr-en");
    await until(hasRecognizer, { withinMs: 30_000, what: "the recognizer" });
    const certificate = join(directory, "certificate.pem");
    writeFileSync(certificate, front.certificate);
    const { PATH, HOME, LANG } = process.env;
    const addresses = {
      PARLEY_BASE_URL: cluster.baseUrl,
      PARLEY_TLS_BASE_URL: front.baseUrl,
      PARLEY_API_KEY: cluster.apiKey,
    };
    return await runProgram(program, args, {
      cwd,
      env: { PATH, HOME, LANG, ...addresses, ...environment(certificate) },
    });
  } finally {
    await front.stop();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The TLS front lives here, so this process must not block. */
function runProgram(
  program: string,
  args: string[],
  options: { cwd: string | undefined; env: Record<string, string | undefined> },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", reject);
    child.on("close", (status) => resolve(status ?? 1));
  });
}
