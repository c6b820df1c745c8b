import { newIdentifier } from "#common/identifier";
import type { Db } from "#control-plane/database/database";
import { phoneNumbers, type PhoneRow } from "#control-plane/phone/tables";
import type { TeamClient } from "../agents/client.js";

let lastNumber = 4_930_100_000;

/** Writes a number of a team's own trunk, live and with a termination; gives its row. */
export async function insertNumber(db: Db, team: TeamClient, change: Partial<PhoneRow> = {}): Promise<PhoneRow> {
  const now = new Date();
  const sip = {
    ...{ inbound_auth_username: "", inbound_allowed_addresses: ["203.0.113.0/24"] },
    ...{ termination_uri: "93.184.216.34:5060", termination_transport: "udp" as const, termination_auth_username: "" },
  };
  const [row] = await db
    .insert(phoneNumbers)
    .values({
      ...{ id: newIdentifier(), teamId: team.principal.teamId, phoneNumber: `+${++lastNumber}`, provider: "sip" },
      ...{ label: "", agentId: null, status: "active", statusDetail: "", sip, createdAt: now, updatedAt: now },
      ...change,
    })
    .returning();
  if (row === undefined) throw new Error("no number");
  return row;
}
