import type { Bus } from "#common/bus/bus";
import { validate } from "#common/http/validation";
import { EVERY_SCOPE, type KeySummary, type Principal } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import { type CreatedKey, type KeyEntity, keyCreate } from "#protocol/keys";
import type { Db } from "../database/database.js";
import { readJsonBody } from "../http/json-body.js";
import { empty, json, type Route } from "../http/route.js";
import { purgeKey } from "./forget-keys.js";
import { createKey, listKeys, revokeKey } from "./keys.js";

const DAY_MS = 24 * 3600 * 1000;

interface KeyRouteDependencies {
  db: Db;
  bus: Pick<Bus, "publish">;
  now: () => Date;
}

/** `/v1/keys`: a team's own keys. Another team's key answers as a missing one. */
export function keyRoutes({ db, bus, now }: KeyRouteDependencies): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/keys",
      scope: "keys",
      handle: async ({ principal }) => json(200, { keys: (await listKeys(db, principal.teamId)).map(entityOf) }),
    },
    {
      method: "POST",
      path: "/v1/keys",
      scope: "keys",
      handle: async (request) => {
        const { principal } = request;
        const { name, scopes, expires_in_days } = validate(keyCreate, await readJsonBody(request), ["body"]);
        const expiresInMs = typeof expires_in_days === "number" ? expires_in_days * DAY_MS : null;
        const { teamId, userId } = principal;
        const wanted = { name, teamId, userId, scopes: withinOwn(principal, scopes ?? null), expiresInMs };
        const { summary, key } = await createKey(db, wanted, now());
        return json(201, { ...entityOf(summary), key } satisfies CreatedKey);
      },
    },
    {
      method: "DELETE",
      path: "/v1/keys/:key_id",
      scope: "keys",
      handle: async ({ principal, parameters }) => {
        const { digest } = await revokeKey(db, parameters["key_id"] ?? "", now(), principal.teamId);
        await purgeKey(bus, db, digest);
        return empty(204);
      },
    },
  ];
}

/** What a new key covers. Throws `missing_scope` where the caller's own key does not cover that. */
function withinOwn({ scopes: own }: Pick<Principal, "scopes">, wanted: string[] | null): string[] {
  if (wanted === null) return own;
  const missing = own.includes(EVERY_SCOPE) ? undefined : wanted.find((scope) => !own.includes(scope));
  if (missing !== undefined) throw new ServiceError("missing_scope", { parameters: { scope: missing } });
  return [...new Set(wanted)];
}

const instant = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());

function entityOf(summary: KeySummary): KeyEntity {
  const { keyId, name, prefix, scopes, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = summary;
  return {
    ...{ key_id: keyId, name, prefix, scopes, created_at: new Date(createdAtMs).toISOString() },
    ...{ expires_at: instant(expiresAtMs), revoked_at: instant(revokedAtMs), last_used_at: instant(lastUsedAtMs) },
  };
}
