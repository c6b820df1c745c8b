import { execFile } from "node:child_process";
import { dirname, join } from "node:path";

/** What came of a call of kubectl, or of a shell that calls it. */
export interface KubectlResult {
  isOk: boolean;
  stdout: string;
  stderr: string;
}

/** Where kubectl and helm remember which kinds a server has: beside the server's own files, which go with it. */
export const discoveryCache = (kubeconfig: string): Readonly<Record<string, string>> => ({
  KUBECACHEDIR: join(dirname(kubeconfig), "discovery"),
});

/** Runs kubectl, with `input` on its standard input; resolves whatever it exits with. */
export function runKubectl(
  program: string,
  kubeconfig: string,
  args: readonly string[],
  input = "",
): Promise<KubectlResult> {
  return runProgram(program, ["--kubeconfig", kubeconfig, ...args], discoveryCache(kubeconfig), input);
}

/** Runs a program with further variables; resolves whatever it exits with. */
export function runProgram(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = "",
): Promise<KubectlResult> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [...args],
      { maxBuffer: 256 * 1024 * 1024, env: { ...process.env, ...environment } },
      (error, stdout, stderr) => resolve({ isOk: error === null, stdout, stderr }),
    );
    // Where it ends before it has read all of it, its result says why.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
