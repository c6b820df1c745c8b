import { z } from "zod";
import { EVERY_SCOPE, keyScopes } from "./bus/control.js";
import { recordText } from "./text.js";

const timestamp = z.iso.datetime();

/** Longest life that a key can be given at once. */
const MAX_KEY_DAYS = 3650;

/** Body of `POST /v1/keys`. */
export const keyCreate = z.strictObject({
  name: recordText(1, 128),
  /** Null is what the caller's own key covers. A key makes none that covers more than itself. */
  scopes: z
    .array(z.enum([...keyScopes, EVERY_SCOPE]))
    .min(1)
    .max(keyScopes.length + 1)
    .nullish(),
  /** Null is for ever. */
  expires_in_days: z.int().min(1).max(MAX_KEY_DAYS).nullish(),
});

/** A key as it is listed: without the secret. */
const keyEntity = z.object({
  key_id: z.string(),
  name: z.string(),
  /** First characters of the secret. */
  prefix: z.string(),
  scopes: z.array(z.string()),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
  /** To the minute or so. */
  last_used_at: timestamp.nullable(),
});
export type KeyEntity = z.output<typeof keyEntity>;

/** Answer of `GET /v1/keys`. */
export const keyList = z.object({ keys: z.array(keyEntity) });

/** Answer of `POST /v1/keys`: `key` is the secret, which nobody can read again. */
export const createdKey = keyEntity.extend({ key: z.string() });
export type CreatedKey = z.output<typeof createdKey>;
