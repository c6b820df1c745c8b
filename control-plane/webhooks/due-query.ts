import { type SQL, sql } from "drizzle-orm";
import type { TakeRequest } from "./delivery.js";

const isDated = sql`status = 'pending' AND due_at IS NOT NULL`;

/**
 * Finds and locks what may be taken now: ids of deliveries, longest due first; what others have locked is passed by.
 */
export function dueQuery({ now, limit, busyEndpoints, busyTeams }: TakeRequest): SQL {
  const isDue = sql`status = 'pending' AND due_at <= ${now.toISOString()}::timestamptz`;
  if (busyEndpoints.length === 0 && busyTeams.length === 0) {
    return sql`SELECT id FROM webhook_deliveries WHERE ${isDue} ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
  }
  // What waits for a busy endpoint may be long, and due for longer than anything else: go from endpoint to endpoint and
  // pass it by.
  return sql`
    WITH RECURSIVE lane (endpoint) AS (
      (SELECT endpoint FROM webhook_deliveries WHERE ${isDated} ORDER BY endpoint LIMIT 1)
      UNION ALL
      SELECT (SELECT next.endpoint FROM webhook_deliveries AS next WHERE next.endpoint > lane.endpoint AND ${isDated} ORDER BY next.endpoint LIMIT 1)
      FROM lane WHERE lane.endpoint IS NOT NULL
    )
    SELECT due.id FROM lane
    CROSS JOIN LATERAL (
      SELECT id, due_at FROM webhook_deliveries
      WHERE endpoint = lane.endpoint AND ${isDue} AND team_id <> ALL(${arrayOf(busyTeams)})
      ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE lane.endpoint <> ALL(${arrayOf(busyEndpoints)})
    ORDER BY due.due_at LIMIT ${limit}`;
}

/** One parameter, however many there are: the statement's text stays the same. */
function arrayOf(values: readonly string[]): SQL {
  return sql`ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
}
