import { ServiceError } from "#protocol/errors";
import type { S3Client } from "./s3-client.js";
import { remedyOf, S3Failure } from "./s3-failure.js";

/** Why an S3 store cannot be used. */
export interface S3Problem {
  detail: string;
  /** What the operator must set right; null where waiting may be enough. */
  remedy: string | null;
}

const CONTENT = Buffer.from("Parley checks that it can write, read and delete here.\n");

/** Tries a store as it is used: writes, reads and deletes an object. Null where all of it works. */
export async function checkS3(client: S3Client, name: string): Promise<S3Problem | null> {
  const key = `parley-check/${name}`;
  try {
    await client.put(key, CONTENT, "text/plain");
    const read = await client.get(key);
    await client.delete(key);
    if (read !== null && CONTENT.equals(read)) return null;
    return { detail: "the S3 store gave back something else than was written", remedy: "check S3_ENDPOINT" };
  } catch (error) {
    const failure = error instanceof ServiceError ? error.cause : error;
    if (failure instanceof S3Failure) return { detail: failure.message, remedy: remedyOf(failure) };
    throw error;
  }
}
