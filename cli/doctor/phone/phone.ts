import { LiveKitError } from "#common/livekit/livekit-error";
import type { LiveKitAccess } from "#common/livekit/livekit-server";
import { type LiveKitSip, openLiveKitSip, type OutboundTrunk, type Stored } from "#common/livekit/livekit-sip";
import type { Finding } from "../finding.js";
import { callEcho } from "./echo-call.js";
import { examineLines, type PhoneLines } from "./lines.js";
import { askOptions, type OptionsOutcome } from "./sip-options.js";

/** What somebody wants to know besides. */
export interface PhoneQuestions {
  /** `host[:port]` of LiveKit SIP; null does not ask it. */
  sipAddress: string | null;
  /** A number that echoes what it receives; null calls nobody. */
  echoNumber: string | null;
  /** The number that calls it; null is any that may. */
  callingNumber: string | null;
}

/** Looks at what phone calls need: LiveKit's SIP service, lines and rules, the trunks' hosts, and perhaps a call. */
export async function examinePhone(access: LiveKitAccess | null, questions: PhoneQuestions): Promise<Finding[]> {
  if (access === null) {
    const detail = "none is configured, and no cluster runs here with its own";
    return [
      {
        subject: "LiveKit",
        state: "missing",
        detail,
        remedy: "set LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET",
      },
    ];
  }
  const lines = await readLines(openLiveKitSip(access));
  if ("problem" in lines) return [lines.problem];
  const { sipAddress } = questions;
  const hosts = new Map(
    lines.outbound.map(({ address, transport }) => [`${address} ${transport}`, { address, transport }]),
  );
  const asked = await Promise.all([
    ...(sipAddress === null ? [] : [askOptions({ address: sipAddress, transport: "udp" }).then(gatewayFinding)]),
    ...[...hosts.values()].map((host) => askOptions(host).then((outcome) => hostFinding(host, outcome))),
  ]);
  const answering: Finding = {
    subject: "LiveKit's SIP service",
    state: "ok",
    detail: `${access.url} answers`,
    remedy: null,
  };
  return [answering, ...examineLines(lines), ...asked, ...(await examineCall(access, lines, questions))];
}

async function readLines(sip: LiveKitSip): Promise<PhoneLines | { problem: Finding }> {
  try {
    const [inbound, outbound, rules] = await Promise.all([
      sip.listInboundTrunks(null),
      sip.listOutboundTrunks(null),
      sip.listDispatchRules(),
    ]);
    return { inbound, outbound, rules };
  } catch (error) {
    if (!(error instanceof LiveKitError)) throw error;
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    const subject = "LiveKit's SIP service";
    const remedy =
      error.status === 401
        ? "check LIVEKIT_API_KEY and LIVEKIT_API_SECRET"
        : "its configuration must name a Redis server, and LiveKit SIP must run beside it on the same one";
    return { problem: { subject, state: "missing", detail: `does not answer (${cause})`, remedy } };
  }
}

function gatewayFinding(outcome: OptionsOutcome): Finding {
  const subject = "LiveKit SIP";
  if ("answer" in outcome)
    return { subject, state: "ok", detail: `${outcome.where} answers ${outcome.answer}`, remedy: null };
  const detail = `${outcome.where}: ${outcome.problem}`;
  return { subject, state: "missing", detail, remedy: "see that it runs, and that its port is open" };
}

/** Any answer is a good one: many carriers take no OPTIONS, and say so. */
function hostFinding({ address }: { address: string }, outcome: OptionsOutcome): Finding {
  const subject = `trunk ${address}`;
  if ("answer" in outcome)
    return { subject, state: "ok", detail: `${outcome.where} answers ${outcome.answer}`, remedy: null };
  const detail = `${outcome.where}: ${outcome.problem}`;
  const remedy =
    "check termination_uri and termination_transport, and whether the carrier takes SIP from this machine's address";
  return { subject, state: "missing", detail, remedy };
}

async function examineCall(
  access: LiveKitAccess,
  { outbound }: PhoneLines,
  { echoNumber, callingNumber }: PhoneQuestions,
): Promise<Finding[]> {
  const subject = "a call";
  if (echoNumber === null) {
    const remedy = "parley doctor phone --call NUMBER calls a number that echoes what it receives";
    return [{ subject, state: "optional", detail: "not tried", remedy }];
  }
  const trunk = outbound.find(({ numbers }) => callingNumber === null || numbers.includes(callingNumber));
  if (trunk === undefined) {
    const detail = callingNumber === null ? "no number has a termination" : `${callingNumber} has no termination`;
    return [{ subject, state: "missing", detail, remedy: "give a number a termination_uri" }];
  }
  return [await callFinding(access, trunk, echoNumber)];
}

async function callFinding(access: LiveKitAccess, trunk: Stored<OutboundTrunk>, number: string): Promise<Finding> {
  const subject = `a call from ${trunk.numbers[0] ?? "a number"} to ${number}`;
  const outcome = await callEcho(access, { trunkId: trunk.id, number });
  if ("tries" in outcome) {
    const detail = `answered, and what was said came back (${outcome.tries === 1 ? "at once" : `after ${outcome.tries} tries`})`;
    return { subject, state: "ok", detail, remedy: null };
  }
  if (outcome.isAnswered) {
    const remedy = "call a number that echoes, or open LiveKit SIP's ports for audio (rtp_port) both ways";
    return { subject, state: "missing", detail: `answered, but ${outcome.problem}`, remedy };
  }
  const remedy = "see LiveKit SIP's log, and the carrier's";
  return { subject, state: "missing", detail: `not answered: ${outcome.problem}`, remedy };
}
