import type { Bucket, Bus, ObjectBucket } from "#common/bus/bus";
import type { S3Client } from "#common/objects/s3-client";

/** Where objects are that are kept: in an S3 store where one is set, else in the bus's object store. */
export interface ObjectStores {
  bus: Pick<Bus, "objects">;
  s3: S3Client | null;
}

export type StoredBucket = Pick<ObjectBucket, "put" | "get" | "delete">;

/** The object of a bucket as an S3 store calls it. */
export const s3KeyOf = ({ name }: Bucket, object: string): string => `${name}/${object}`;

/**
 * A bucket of objects that are kept until somebody deletes them. What was stored before there was an S3 store stays in
 * the bus's, and is read and deleted there.
 */
export function storedBucket({ bus, s3 }: ObjectStores, bucket: Bucket): StoredBucket {
  const before = bus.objects(bucket);
  if (s3 === null) return before;
  return {
    put: (name, bytes) => s3.put(s3KeyOf(bucket, name), bytes, "application/octet-stream"),
    get: async (name) => (await s3.get(s3KeyOf(bucket, name))) ?? (await before.get(name)),
    async delete(name) {
      await s3.delete(s3KeyOf(bucket, name));
      await before.delete(name);
    },
  };
}
