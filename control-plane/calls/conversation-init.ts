import { z } from "zod";
import type { Logger } from "#common/log";
import type { Outbound } from "#common/outbound/outbound";
import { OutboundError } from "#common/outbound/outbound-error";
import { secretBox } from "#common/secrets/secret-box";
import { SealError, type Sealer } from "#common/secrets/sealer";
import { dynamicVariables } from "#protocol/agents/session";
import { signatureHeaders } from "../webhooks/send.js";
import type { AgentRow } from "../agents/tables.js";
import type { FrozenConfig } from "../sessions/frozen-config.js";
import type { PhoneLine } from "./lines.js";

/** The longest that a caller waits for it, whatever the configuration says. */
const MOST_MS = 5000;
const MOST_BYTES = 64 * 1024;

/** What an endpoint may answer: whatever else it says is its own. */
const answer = z.object({ dynamic_variables: dynamicVariables.nullish() });
type Variables = NonNullable<z.output<typeof answer>["dynamic_variables"]>;

export interface InitContext {
  outbound: Pick<Outbound, "request">;
  sealer: Sealer;
  log: Logger;
  now: () => Date;
}

/**
 * Asks the agent's `webhooks.conversation_init` for the dynamic variables of a call that came in; none where it has no
 * such webhook. Whatever goes wrong, the call goes on without them: never rejects.
 */
export async function initialVariables(
  context: InitContext,
  agent: Pick<AgentRow, "id" | "name">,
  frozen: Pick<FrozenConfig, "config" | "configHash">,
  line: PhoneLine,
): Promise<Variables> {
  const { log } = context;
  const init = frozen.config.webhooks.conversation_init;
  if (init === null) return {};
  try {
    const secret =
      init.secret === null ? null : secretBox(context.sealer, agent.id).open(init.secret.sealed, "conversation_init");
    const body = Buffer.from(JSON.stringify(questionOf(agent, frozen, line)));
    const { status, body: bytes } = await context.outbound.request({
      method: "POST",
      url: init.url,
      headers: [["content-type", "application/json"], ...signatureHeaders(secret, context.now(), body)],
      body,
      timeoutMs: Math.min(MOST_MS, init.timeout_seconds * 1000),
      maxResponseBytes: MOST_BYTES,
    });
    const read = status >= 200 && status < 300 ? answer.safeParse(parseJson(bytes)) : null;
    if (read?.success === true) return read.data.dynamic_variables ?? {};
    log.warn({ agent: agent.id, status }, "a conversation_init webhook gave no variables; the call goes on without");
  } catch (error) {
    if (!(error instanceof OutboundError) && !(error instanceof SealError)) throw error;
    log.warn({ agent: agent.id, err: error }, "a conversation_init webhook failed; the call goes on without");
  }
  return {};
}

function questionOf(
  agent: Pick<AgentRow, "id" | "name">,
  frozen: Pick<FrozenConfig, "configHash">,
  line: PhoneLine,
): object {
  return {
    event: "conversation_init",
    agent_id: agent.id,
    agent_name: agent.name,
    config_hash: frozen.configHash,
    direction: "inbound",
    phone_number_id: line.phoneNumberId,
    caller_number: line.callerNumber,
    dialed_number: line.dialedNumber,
  };
}

/** Undefined for what is no JSON. */
function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined; // which no answer is
  }
}
