import { setTimeout as delay } from "node:timers/promises";
import { claimFolder, openDataDirectory } from "#common/data-directory/data-directory";
import { writeStamp } from "#common/data-directory/stamp";
import type { Logger } from "#common/log";
import { chdbEngine, chdbIsInstalled } from "./chdb.js";
import { clickHouseEngine } from "./clickhouse.js";
import type { AnalyticsEngine } from "./engine.js";
import { migrateAnalytics } from "./migrations.js";

const RETRY_MS = 1000;

/**
 * Opens the analytics engine and brings its schema up to date: the ClickHouse server at `url`, waited for until
 * `signal` aborts, or the embedded one in the data directory. Null when there is none: the package is not installed, or
 * another control plane of this data directory has it. Usage is answered from the records' database then, which has all
 * of it too.
 */
export async function openAnalytics(options: {
  url: string | null;
  dataDirectory: string;
  log: Logger;
  signal: AbortSignal;
}): Promise<AnalyticsEngine | null> {
  const { url, dataDirectory, log, signal } = options;
  if (url !== null) return await openServer(url, log, signal);
  try {
    return await openEmbedded(dataDirectory, log);
  } catch (error) {
    log.warn({ err: error }, "the embedded analytics engine did not start; usage is answered from the database");
    return null;
  }
}

async function openEmbedded(dataDirectory: string, log: Logger): Promise<AnalyticsEngine | null> {
  if (!(await chdbIsInstalled())) {
    log.info("no analytics engine: chdb is not installed; usage is answered from the database");
    return null;
  }
  const { path, isMade, stamp } = claimFolder(openDataDirectory(dataDirectory), "analytics");
  const engine = await chdbEngine(path);
  if (engine === null) return null;
  await migrateAnalytics(engine);
  // Once the engine has filled it.
  if (!isMade) writeStamp(path, stamp);
  return engine;
}

async function openServer(url: string, log: Logger, signal: AbortSignal): Promise<AnalyticsEngine | null> {
  const engine = clickHouseEngine(url);
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      await migrateAnalytics(engine);
      return engine;
    } catch (error) {
      if (attempt % 30 === 0) log.warn({ err: error }, "waiting for the ClickHouse server");
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  await engine.close();
  return null;
}
