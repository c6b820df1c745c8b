import type { ActivityReport, UsageLine, UsageReport } from "#protocol/usage";
import type { Bus } from "#common/bus/bus";
import { countOpenRequests } from "../accounts/open-usage.js";
import { creditText } from "../accounts/prices.js";
import type { Db } from "../database/database.js";
import { json, type Route } from "../http/route.js";
import { describeActivity } from "./activity.js";
import { MAX_USAGE_LINES, readUsageQuery, type UsageQuery, type UsageSums } from "./usage-query.js";

/** Where sums of usage come from. */
export type SumUsage = (query: UsageQuery) => Promise<UsageSums[]>;

/** `GET /v1/usage`: what the caller's team used. */
export function usageRoutes(sumUsage: SumUsage, now: () => Date): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/usage",
      scope: "wallet",
      handle: async ({ principal, query }) => {
        const asked = readUsageQuery(principal.teamId, query, now());
        const lines = await sumUsage(asked);
        const report: UsageReport = {
          start: asked.start,
          end: asked.end,
          group_by: asked.groupBy,
          data: lines.slice(0, MAX_USAGE_LINES).map(lineOf),
          truncated: lines.length > MAX_USAGE_LINES,
        };
        return json(200, report);
      },
    },
  ];
}

/** `GET /v1/usage/activity`: what the caller's team does now, and how fast it was answered of late. */
export function activityRoutes({ db, bus, now }: { db: Db; bus: Pick<Bus, "objects">; now: () => Date }): Route[] {
  return [
    {
      method: "GET",
      path: "/v1/usage/activity",
      scope: "wallet",
      handle: async ({ principal: { teamId } }) => {
        const { conversations, ...latencies } = await describeActivity(db, teamId, now());
        const live = { requests: await countOpenRequests(bus, teamId), conversations };
        return json(200, { live, ...latencies } satisfies ActivityReport);
      },
    },
  ];
}

function lineOf(sums: UsageSums): UsageLine {
  const { day, model, key, agent, requests, failed, partial, characters, audioMs, conversationMs, costMicros } = sums;
  return {
    ...(day === undefined ? {} : { day }),
    ...(model === undefined ? {} : { model }),
    ...(key === undefined ? {} : { key_id: key }),
    ...(agent === undefined ? {} : { agent_id: agent }),
    requests,
    failed_requests: failed,
    partial_requests: partial,
    characters,
    audio_seconds: audioMs / 1000,
    conversation_seconds: conversationMs / 1000,
    cost: creditText(costMicros),
  };
}
