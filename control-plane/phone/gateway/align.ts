import { and, eq, inArray, lte, or } from "drizzle-orm";
import type { LiveKitSip } from "#common/livekit/livekit-sip";
import type { PhoneContext } from "../context.js";
import { ProviderFailure } from "../providers/provider.js";
import { noteDetail } from "../store.js";
import { type PhoneRow, phoneGateway, phoneNumbers } from "../tables.js";
import { alignObjects, objectsOf, type OwnObjects, readObjects } from "./gateway.js";
import { GATEWAY_LABEL, readInstallation, toGatewayFailure, wantedOf } from "./place-number.js";
import { type Installation, ownerOf } from "./wanted-objects.js";

/** How long one process has the comparison for itself: less than lies between two of its own. */
const LEASE_MS = 50_000;

/** What a comparison did. */
export interface Alignment {
  /** Objects of the server that were made, replaced or deleted. */
  changes: number;
  /** Numbers that could not be put right; the next comparison tries them again. */
  failures: unknown[];
}

/**
 * Compares all numbers with the trunks and rules of the LiveKit server and puts right what differs, whoever is to blame:
 * a process that died in between, a server that lost its Redis, a hand. Objects of others are left alone. Null where
 * another process compares them, or nobody has had a number yet.
 */
export async function alignGateway(context: PhoneContext, sip: LiveKitSip): Promise<Alignment | null> {
  if (!(await takeTurn(context))) return null;
  const installation = await readInstallation(context);
  const begunAt = context.now();
  const alignment: Alignment = { changes: 0, failures: [] };
  // Before the numbers: what is listed here, and has no number afterwards, is nobody's.
  const objects = await readingObjects(sip, installation);
  const rows = await placedRows(context, begunAt);
  const known = new Map(rows.all.map((row) => [row.id, row]));
  for (const phoneId of orphansOf(installation, objects, known)) {
    const found = objectsOf(installation, objects, phoneId);
    alignment.changes += await alignObjects(sip, null, found).catch(noted(alignment));
  }
  for (const row of rows.settled) {
    const found = objectsOf(installation, objects, row.id);
    alignment.changes += await alignRow(context, sip, installation, row, found).catch(noted(alignment));
  }
  return alignment;
}

/** Whether a number was ever placed at the LiveKit server: until then it, which may have no SIP, is not asked. */
export async function isGatewayUsed({ db }: Pick<PhoneContext, "db">): Promise<boolean> {
  const [row] = await db.select({ inUse: phoneGateway.inUse }).from(phoneGateway);
  return row?.inUse === true;
}

async function readingObjects(sip: LiveKitSip, installation: Installation): Promise<OwnObjects> {
  try {
    return await readObjects(sip, installation, null);
  } catch (error) {
    throw toGatewayFailure(error);
  }
}

const noted =
  ({ failures }: Alignment) =>
  (error: unknown): number => {
    failures.push(error);
    return 0;
  };

async function takeTurn({ db, now }: PhoneContext): Promise<boolean> {
  const at = now();
  const taken = await db
    .update(phoneGateway)
    .set({ alignedBy: new Date(at.getTime() + LEASE_MS) })
    .where(and(lte(phoneGateway.alignedBy, at), eq(phoneGateway.inUse, true)))
    .returning({ id: phoneGateway.installationId });
  return taken.length > 0;
}

/** Numbers that the server should have, and of them those that nobody has changed since the comparison began. */
async function placedRows({ db }: PhoneContext, begunAt: Date): Promise<{ all: PhoneRow[]; settled: PhoneRow[] }> {
  const isImported = and(eq(phoneNumbers.status, "provisioning"), inArray(phoneNumbers.provider, ["sip", "livekit"]));
  const all = await db
    .select()
    .from(phoneNumbers)
    .where(or(eq(phoneNumbers.status, "active"), isImported));
  return { all, settled: all.filter(({ step, updatedAt }) => step === null && updatedAt <= begunAt) };
}

function orphansOf(installation: Installation, objects: OwnObjects, known: ReadonlyMap<string, PhoneRow>): string[] {
  const owners = [...objects.inbound, ...objects.outbound, ...objects.rules].map((object) =>
    ownerOf(installation, object),
  );
  return [...new Set(owners)].filter((owner): owner is string => owner !== null && !known.has(owner));
}

async function alignRow(
  context: PhoneContext,
  sip: LiveKitSip,
  installation: Installation,
  row: PhoneRow,
  found: OwnObjects,
): Promise<number> {
  try {
    const wanted = wantedOf(context, installation, row);
    if (wanted === null) return 0;
    const changes = await alignObjects(sip, wanted, found);
    if (row.statusDetail !== "") await noteDetail(context.db, row, "");
    return changes;
  } catch (error) {
    const failure = toGatewayFailure(error);
    if (failure instanceof ProviderFailure) await noteDetail(context.db, row, waitingDetail(failure));
    throw failure;
  }
}

/** What a team reads of a live number that the gateway does not have as it should. */
export function waitingDetail({ detail }: ProviderFailure): string {
  return `Waits for ${GATEWAY_LABEL}: ${detail}`;
}
