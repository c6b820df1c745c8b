import { createServer } from "node:net";
import { LaunchError } from "./launch-error.js";

/** Throws a LaunchError of one line when nobody may listen on `host:port` now. Port 0 is always free. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const problem = await listenProblem(host, port);
  if (problem === null) return;
  throw new LaunchError(explanations[problem]?.(host, port) ?? `Cannot listen on ${host}:${port}: ${problem}`);
}

/** The system's error code (`EADDRINUSE`…) for listening on `host:port`; null when it works. */
export function listenProblem(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}

const explanations: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} on ${host} is already in use; set PORT to another one (PORT=0 picks a free one), or stop what listens there`,
  EACCES: (_, port) => `This user may not listen on port ${port}; set PORT to 1024 or higher`,
  EADDRNOTAVAIL: (host) => `This machine has no address ${host}; set HOST to one that it has, or to 0.0.0.0 for all`,
};
