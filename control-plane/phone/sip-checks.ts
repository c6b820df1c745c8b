import { OutboundError } from "#common/outbound/outbound-error";
import { type SipConfig, sipProblems } from "#protocol/agents/phone";
import { type Problem, ServiceError } from "#protocol/errors";
import type { PhoneContext } from "./context.js";
import type { SipSecrets } from "./tables.js";

/**
 * Throws `validation` for a trunk that is wrong as a whole, or whose calls would leave for a private network: LiveKit
 * SIP stands inside of one. A name that resolves to nothing today is no reason to refuse it.
 */
export async function requireTrunk(
  { outbound }: Pick<PhoneContext, "outbound">,
  config: SipConfig,
  stored: SipSecrets | null,
): Promise<void> {
  const hasStored = { inbound: stored?.inbound !== undefined, termination: stored?.termination !== undefined };
  const problems = sipProblems(config, hasStored).map(({ field, message }) => problemOf(field, message));
  if (problems.length === 0) problems.push(...(await hostProblems(outbound, config.termination_uri)));
  if (problems.length > 0) throw new ServiceError("validation", { problems });
}

const problemOf = (field: string, msg: string): Problem => ({ type: "value_error", loc: ["body", field], msg });

/** Without its port: the rules of ports are HTTP's. */
async function hostProblems({ checkUrl }: PhoneContext["outbound"], terminationUri: string): Promise<Problem[]> {
  const [host = ""] = terminationUri.split(":");
  if (host === "") return [];
  try {
    await checkUrl(`https://${host}/`);
    return [];
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return error.refused ? [problemOf("termination_uri", error.message)] : [];
  }
}
