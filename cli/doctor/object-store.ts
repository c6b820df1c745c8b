import { systemClock } from "#common/clock";
import { newIdentifier } from "#common/identifier";
import { checkS3 } from "#common/objects/check-s3";
import { S3Client } from "#common/objects/s3-client";
import type { S3Settings } from "#common/objects/s3-settings";
import type { Finding } from "./finding.js";

const ANSWER_MS = 10_000;
const ADDRESS_SECONDS = 60;

/**
 * Tries the S3 store that is configured as the control plane uses it, and as clients do who download from it; nothing
 * where none is.
 */
export async function examineObjectStore(settings: S3Settings | null): Promise<Finding[]> {
  if (settings === null) return [];
  const subject = "S3 store";
  const client = new S3Client({ settings, clock: systemClock, now: () => new Date() });
  const { host } = new URL(settings.endpoint);
  const problem = await checkS3(client, newIdentifier());
  if (problem !== null) {
    const remedy = problem.remedy ?? "check S3_ENDPOINT, and that the store runs";
    return [{ subject, state: "missing", detail: `${problem.detail} at ${host}`, remedy }];
  }
  const detail = `bucket ${settings.bucket} at ${host} can be written, read and deleted in`;
  return [{ subject, state: "ok", detail, remedy: null }, await addressFinding(client, settings)];
}

/** Whether an address that clients are sent to can be opened, as far as this machine can tell for them. */
async function addressFinding(client: S3Client, settings: S3Settings): Promise<Finding> {
  const subject = "S3 store for downloads";
  const { host } = new URL(settings.publicEndpoint);
  const file = { fileName: "check.txt", contentType: "text/plain" };
  const expiresAt = new Date(Date.now() + ADDRESS_SECONDS * 1000);
  // Nobody wrote it: a store that takes the signature says that there is no such object.
  const address = await client.downloadAddress(`parley-check/${newIdentifier()}`, { ...file, expiresAt });
  try {
    const { status } = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) });
    if (status === 404) return { subject, state: "ok", detail: host, remedy: null };
    const detail = `${host} answers ${status} to a signed address`;
    return { subject, state: "missing", detail, remedy: "set S3_PUBLIC_ENDPOINT to the address of the same store" };
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    const detail = `${host} does not answer (${reason})`;
    return { subject, state: "missing", detail, remedy: "set S3_PUBLIC_ENDPOINT to where clients reach the store" };
  }
}
