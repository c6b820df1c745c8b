import { type Config, ConfigError } from "#common/config/config";
import { systemClock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import type { Logger } from "#common/log";
import { checkS3 } from "#common/objects/check-s3";
import { S3Client, type S3ClientOptions } from "#common/objects/s3-client";
import { s3SettingsOf } from "#common/objects/s3-settings";

/**
 * The S3 store that is configured, tried out; null where the bus keeps all objects. Throws ConfigError for one that
 * refuses; one that does not answer may come back, and is only logged.
 */
export async function configuredStore(
  config: Config,
  log: Logger,
  onAnswer?: S3ClientOptions["onAnswer"],
): Promise<S3Client | null> {
  const settings = s3SettingsOf(config);
  if (settings === null) return null;
  const store = new S3Client({ settings, clock: systemClock, now: () => new Date(), onAnswer });
  const problem = await checkS3(store, newIdentifier());
  if (problem !== null && problem.remedy !== null)
    throw new ConfigError(`${problem.detail} at ${new URL(settings.endpoint).host}: ${problem.remedy}`);
  if (problem !== null)
    log.error(
      { host: new URL(settings.endpoint).host, problem: problem.detail },
      "recordings and voices cannot be stored now",
    );
  return store;
}
