import type { S3Settings } from "#common/objects/s3-settings";
import { type S3StandIn, startS3StandIn } from "#common/objects/testing/s3-server";

/** Where `npm run test:s3` puts the settings of the server that it started. */
export const S3_SETTINGS_VARIABLE = "TEST_S3_SETTINGS";

/** An S3 server for tests. */
export interface TestS3 {
  settings: S3Settings;
  /** Null where it is a real server, which does not fail when it is told to. */
  standIn: S3StandIn | null;
  close(): Promise<void>;
}

/** The real server that `npm run test:s3` started, else one in this process. */
export async function openTestS3(): Promise<TestS3> {
  const given = process.env[S3_SETTINGS_VARIABLE];
  if (given !== undefined)
    return { settings: JSON.parse(given) as S3Settings, standIn: null, close: () => Promise.resolve() };
  const standIn = await startS3StandIn();
  return { settings: standIn.settings, standIn, close: () => standIn.close() };
}
