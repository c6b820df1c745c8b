import { resolve } from "node:path";
import { type Config, loadConfig } from "#common/config/config";
import { withoutTrailing } from "#common/text/trim";
import { storedDevelopmentKey } from "#launcher/development-key";
import { readRunFile } from "#launcher/run-file";
import { CommandError, exitCodes } from "./command.js";

/** Where commands find the service that they talk to. */
export interface RunningCluster {
  baseUrl: string;
  /** Null when nothing runs here and no `NATS_URL` is set. */
  natsUrl: string | null;
  apiKey: string | null;
}

/**
 * Finds the cluster: what the person said, else the one that runs on the data directory, else what the settings say.
 * Secrets stay out of errors.
 */
export function findCluster(
  environment: Record<string, string | undefined>,
  said: { url?: string; key?: string } = {},
): RunningCluster {
  const config = loadConfig(environment);
  const dataDirectory = resolve(config.PARLEY_DATA_DIR);
  const record = readRunFile(dataDirectory);
  return {
    baseUrl: withoutTrailing(said.url ?? record?.baseUrl ?? configuredUrl(config), "/"),
    natsUrl: config.NATS_URL ?? record?.natsUrl ?? null,
    apiKey: said.key ?? config.PARLEY_API_KEY ?? storedDevelopmentKey(dataDirectory),
  };
}

function configuredUrl(config: Config): string {
  const host = config.HOST === "0.0.0.0" ? "127.0.0.1" : config.HOST;
  return `http://${host}:${config.PORT}`;
}

/** The error for a cluster that does not answer. */
export function unreachable(what: string, cause?: unknown): CommandError {
  return new CommandError(`${what} does not answer; start Parley with: npm start`, exitCodes.unreachable, { cause });
}
