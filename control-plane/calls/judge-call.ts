import { and, eq, inArray } from "drizzle-orm";
import type { PhoneCallCreate } from "#protocol/agents/phone-call";
import { ServiceError } from "#protocol/errors";
import { findAgent } from "../agents/store.js";
import type { AgentRow } from "../agents/tables.js";
import type { Db } from "../database/database.js";
import type { PhoneContext } from "../phone/context.js";
import { outboundTrunkOf } from "../phone/gateway/outbound-trunk.js";
import { readInstallation, toGatewayFailure, wantedOf } from "../phone/gateway/place-number.js";
import { requireProvider, toProviderError } from "../phone/provider-of.js";
import { findPhone } from "../phone/store.js";
import { type PhoneRow, phoneNumbers } from "../phone/tables.js";
import { overridesOf, requireAllowed, requireShortPrompt, withOverrides } from "../sessions/effective-config.js";
import { type FrozenConfig, frozenConfig } from "../sessions/frozen-config.js";
import type { RoomServer } from "../sessions/rooms.js";
import { requirePlace } from "../sessions/placement.js";
import { requireSpeech } from "../sessions/speech-capacity.js";
import type { CallContext } from "./context.js";
import { destinationRefusal } from "./destination.js";
import { refusal, withReasons } from "./refusal.js";

/** A call that may be made, and what it is made with. */
export interface JudgedCall {
  number: PhoneRow;
  agent: AgentRow;
  frozen: FrozenConfig;
  config: FrozenConfig["config"];
  /** Of the LiveKit server. */
  trunkId: string;
  rooms: RoomServer;
}

/**
 * Judges a call by everything but how many there are and what they cost. Throws, with their reasons,
 * `number_not_found`, `number_inactive`, `number_provider_unsupported`, `number_termination_missing`,
 * `agent_not_found`, `agent_not_published`, `destination_invalid`, `self_call_blocked`, `premium_destination_blocked`,
 * `destination_not_allowed`; and `conflict` for an archived agent, `override_not_allowed`, `validation`,
 * `agent_gateway_unreachable`, `phone_provider_failed`, `no_agent_runtime`, `no_worker`, `language_not_served`.
 */
export async function judgeCall(context: CallContext, teamId: string, body: PhoneCallCreate): Promise<JudgedCall> {
  const { sessions, phones, settings } = context;
  const { db } = sessions;
  const number = await withReasons({ not_found: () => refusal("number_not_found") }, () =>
    findPhone(db, teamId, body.phone_number_id),
  );
  await requireWayOut(phones, number);
  const agent = await withReasons({ not_found: () => refusal("agent_not_found") }, () =>
    findAgent(db, teamId, body.agent_id),
  );
  if (agent.status === "archived") throw new ServiceError("conflict", { parameters: { detail: "Agent is archived" } });
  const frozen = await withReasons({ agent_not_published: () => refusal("agent_not_published") }, () =>
    frozenConfig(sessions, agent, false),
  );
  const refused = destinationRefusal(body.to_number, await liveNumbers(db, teamId), settings);
  if (refused !== null) throw refusal(refused);
  const overrides = overridesOf(body);
  requireAllowed(body, overrides, { overridesAllowed: agent.overridesAllowed, isVisitor: false, isPreview: false });
  await requireShortPrompt(overrides.systemPrompt);
  const config = withOverrides(frozen.config, overrides);
  const { rooms } = sessions;
  const { sip } = phones;
  if (rooms === null || sip === null) throw new ServiceError("agent_gateway_unreachable");
  await requirePlace(sessions);
  requireSpeech(sessions.served, sessions.modelFolders, config.voice.speaking_language);
  const trunkId = await outboundTrunkOf(phones, sip, number).catch((error: unknown) =>
    Promise.reject(toProviderError(requireProvider(phones.providers, "sip"), error)),
  );
  return { number, agent, frozen, config, trunkId, rooms };
}

/** Throws where no calls can leave from a number. */
async function requireWayOut(phones: PhoneContext, number: PhoneRow): Promise<void> {
  if (number.status !== "active") throw refusal("number_inactive");
  const installation = await readInstallation(phones);
  const wanted = reachingSecrets(phones, () => wantedOf(phones, installation, number));
  if (wanted === null) throw refusal("number_provider_unsupported");
  if (wanted.outbound === null) throw refusal("number_termination_missing");
}

/** A password that nobody can open any more is the gateway's failure. */
function reachingSecrets<T>({ providers }: PhoneContext, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw toProviderError(requireProvider(providers, "sip"), toGatewayFailure(error));
  }
}

async function liveNumbers(db: Db, teamId: string): Promise<Set<string>> {
  const rows = await db
    .select({ phoneNumber: phoneNumbers.phoneNumber })
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.teamId, teamId), inArray(phoneNumbers.status, ["active", "provisioning"])));
  return new Set(rows.map(({ phoneNumber }) => phoneNumber));
}
