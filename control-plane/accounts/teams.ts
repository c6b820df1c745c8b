import { and, asc, eq } from "drizzle-orm";
import { z } from "zod";
import { validate } from "#common/http/validation";
import { newIdentifier } from "#common/identifier";
import type { TeamSummary, TeamsReply } from "#protocol/bus/control";
import { ServiceError } from "#protocol/errors";
import type { Db } from "../database/database.js";
import { ledgerAccounts, teams, users } from "../database/schema.js";
import { openAccounts } from "../ledger/accounts.js";
import { creditText } from "./prices.js";

const teamName = z
  .string()
  .min(1)
  .max(128)
  .refine((name) => !name.includes("\u0000"), { message: "Input should not contain NUL characters" });
const streams = z.int().min(0).max(1_000_000);

const teamsRequest = z.discriminatedUnion("action", [
  z.object({ action: z.literal("create"), name: teamName, betaAccess: z.boolean(), maxConcurrentStreams: streams }),
  z.object({ action: z.literal("list") }),
  z.object({
    action: z.literal("change"),
    teamId: z.string(),
    name: teamName.nullable(),
    betaAccess: z.boolean().nullable(),
    maxConcurrentStreams: streams.nullable(),
  }),
]);

/** What team administration did, and whose remembered keys are void. */
export interface TeamsResult {
  reply: TeamsReply;
  changedTeamId: string | null;
}

/**
 * Carries out one request of team administration. Throws `validation` for a malformed request and `not_found` for an
 * unknown team.
 */
export async function administerTeams(db: Db, stranger: unknown, now: Date): Promise<TeamsResult> {
  const request = validate(teamsRequest, stranger);
  switch (request.action) {
    case "create":
      return { reply: { teams: await summariesOf(db, await createTeam(db, request, now)) }, changedTeamId: null };
    case "list":
      return { reply: { teams: await summariesOf(db, null) }, changedTeamId: null };
    case "change":
      await changeTeam(db, request, now);
      return { reply: { teams: await summariesOf(db, request.teamId) }, changedTeamId: request.teamId };
  }
}

type Request<A extends string> = Extract<z.output<typeof teamsRequest>, { action: A }>;

/** A team comes with its first member, whom its keys belong to. */
async function createTeam(
  db: Db,
  { name, betaAccess, maxConcurrentStreams }: Request<"create">,
  now: Date,
): Promise<string> {
  const teamId = newIdentifier();
  await db.transaction(async (tx) => {
    await tx
      .insert(teams)
      .values({ id: teamId, name, betaAccess, maxConcurrentStreams, createdAt: now, updatedAt: now });
    await tx.insert(users).values({ id: newIdentifier(), teamId, nickname: name, avatar: "", createdAt: now });
    await openAccounts(tx, teamId, now);
  });
  return teamId;
}

async function changeTeam(db: Db, request: Request<"change">, now: Date): Promise<void> {
  const { teamId, name, betaAccess, maxConcurrentStreams } = request;
  const changed = await db
    .update(teams)
    .set({
      ...(name === null ? {} : { name }),
      ...(betaAccess === null ? {} : { betaAccess }),
      ...(maxConcurrentStreams === null ? {} : { maxConcurrentStreams }),
      updatedAt: now,
    })
    .where(eq(teams.id, teamId))
    .returning({ id: teams.id });
  if (changed.length === 0) throw new ServiceError("not_found");
}

async function summariesOf(db: Db, teamId: string | null): Promise<TeamSummary[]> {
  const rows = await db
    .select({ team: teams, creditMicros: ledgerAccounts.balanceMicros })
    .from(teams)
    .leftJoin(ledgerAccounts, and(eq(ledgerAccounts.teamId, teams.id), eq(ledgerAccounts.kind, "credit")))
    .where(teamId === null ? undefined : eq(teams.id, teamId))
    .orderBy(asc(teams.createdAt), asc(teams.id));
  return rows.map(({ team, creditMicros }) => ({
    teamId: team.id,
    name: team.name,
    betaAccess: team.betaAccess,
    maxConcurrentStreams: team.maxConcurrentStreams,
    credit: creditText(creditMicros ?? 0),
    createdAtMs: team.createdAt.getTime(),
  }));
}
