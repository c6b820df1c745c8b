import { eq } from "drizzle-orm";
import { z } from "zod";
import { validate } from "#common/http/validation";
import { sha256Hex } from "#common/identifier";
import { ServiceError } from "#protocol/errors";
import { looseBoolean } from "#protocol/loose";
import type { ApiCredit, WalletPackage } from "#protocol/wallet";
import { creditText } from "../accounts/prices.js";
import type { Db } from "../database/database.js";
import { teams } from "../database/schema.js";
import { readBalances } from "../ledger/accounts.js";
import { queryRecord } from "../http/query.js";
import { json, type Route, type RouteRequest } from "../http/route.js";

const creditQuery = z.object({ check_free_credit: looseBoolean(false), team_id: z.string().optional() });

/** A package that never ends: the field must hold a date. */
const NEVER = "9999-12-31T23:59:59.000Z";

/** `/wallet/*` (docs/protocol.md "Wallet"). `self` and the caller's own id are the only users that it shows. */
export function walletRoutes(db: Db): Route[] {
  return [
    {
      method: "GET",
      path: "/wallet/:userId/api-credit",
      scope: "wallet",
      handle: async (request) => json(200, await apiCredit(db, request)),
    },
    {
      method: "GET",
      path: "/wallet/:userId/package",
      scope: "wallet",
      handle: async (request) => json(200, await packageOf(db, request)),
    },
  ];
}

async function apiCredit(db: Db, request: RouteRequest): Promise<ApiCredit> {
  const team = await ownTeam(db, request);
  const query = validate(creditQuery, queryRecord(request.query, []), ["query"]);
  if (query.team_id !== undefined && query.team_id !== "" && query.team_id !== team.id)
    throw new ServiceError("not_found");
  const { credit, granted, updatedAt } = await readBalances(db, team.id);
  return {
    _id: walletId("credit", team.id),
    user_id: request.principal.userId,
    credit: creditText(credit),
    cumulative_top_up: creditText(Math.abs(granted)),
    created_at: team.createdAt.toISOString(),
    updated_at: (updatedAt ?? team.updatedAt).toISOString(),
    has_phone_sha256: false,
    has_free_credit: query.check_free_credit ? false : null,
  };
}

async function packageOf(db: Db, request: RouteRequest): Promise<WalletPackage> {
  const team = await ownTeam(db, request);
  return {
    _id: walletId("package", team.id),
    user_id: request.principal.userId,
    type: "self-hosted",
    total: 0,
    balance: 0,
    created_at: team.createdAt.toISOString(),
    updated_at: team.updatedAt.toISOString(),
    finished_at: NEVER,
    stripe_subscription_id: null,
    stripe_price_id: null,
    billing_period: null,
    current_period_end: null,
    cancel_at_period_end: null,
    cancel_at: null,
    scheduled_change: null,
    last_synced_at: null,
    subscription_currency: null,
    extra_balance: 0,
    has_used_trial: false,
  };
}

async function ownTeam(db: Db, request: RouteRequest): Promise<typeof teams.$inferSelect> {
  const { userId } = request.parameters;
  if (userId !== "self" && userId !== request.principal.userId) throw new ServiceError("not_found");
  const [team] = await db.select().from(teams).where(eq(teams.id, request.principal.teamId));
  if (team === undefined) throw new ServiceError("not_found");
  return team;
}

function walletId(kind: string, teamId: string): string {
  return sha256Hex(`${kind} ${teamId}`).slice(0, 32);
}
