import { MessageReader, messageOf } from "../../harness/protobuf.js";
import type { PsrpcBus } from "../psrpc/bus.js";

/**
 * What a LiveKit server and LiveKit SIP ask each other:
 * https://github.com/livekit/protocol/blob/main/protobufs/rpc/sip.proto, and io.proto beside it.
 */
const SIP_SERVICE = "SIPInternal";
const SERVER_SERVICE = "IOInfo";

/** `InternalCreateSIPParticipantRequest`, as far as the stand-in goes by it. */
export interface CreateParticipant {
  callId: string;
  trunkId: string;
  /** `hostname[:port]`. */
  address: string;
  /** Of the From; empty is the stand-in's own. */
  fromHost: string;
  number: string;
  callTo: string;
  username: string;
  password: string;
  room: string;
  identity: string;
  name: string;
  metadata: string;
  attributes: Record<string, string>;
  headers: Record<string, string>;
  headersToAttributes: Record<string, string>;
  /** Digits that are sent when it is answered. */
  digits: string;
  waitsForAnswer: boolean;
  /** Zero is LiveKit SIP's own. */
  ringingTimeoutMs: number;
  maxDurationMs: number;
}

/** `InternalTransferSIPParticipantRequest`. */
export interface TransferParticipant {
  transferTo: string;
  headers: Record<string, string>;
  timeoutMs: number;
}

/** What is known of a call that comes. */
export interface IncomingCall {
  callId: string;
  sipCallId: string;
  sourceIp: string;
  from: { user: string; host: string };
  to: { user: string; host: string };
}

/** `GetSIPTrunkAuthenticationResponse`. */
export interface TrunkAuthentication {
  trunkId: string;
  /** Empty is nothing to authenticate with. */
  username: string;
  password: string;
  realm: string;
  isDropped: boolean;
}

/** `EvaluateSIPDispatchRulesResponse`. */
export interface Dispatch {
  result: "accept" | "pin" | "reject" | "drop";
  room: string;
  identity: string;
  name: string;
  metadata: string;
  attributes: Record<string, string>;
  ruleId: string;
  ringingTimeoutMs: number;
  maxDurationMs: number;
}

const durationMs = (duration: MessageReader): number => duration.integer(1) * 1000 + duration.integer(2) / 1e6;

/** Answers the server's wish for a call; the answer is the participant's id. */
export async function serveCreateParticipant(
  bus: PsrpcBus,
  create: (request: CreateParticipant) => Promise<string>,
): Promise<void> {
  await bus.serve(SIP_SERVICE, "CreateSIPParticipant", "", async (body) => {
    const message = new MessageReader(body);
    const request = readCreateParticipant(message);
    return messageOf({ 1: await create(request), 2: request.identity, 3: request.callId });
  });
}

function readCreateParticipant(message: MessageReader): CreateParticipant {
  return {
    ...{ callId: message.text(13), trunkId: message.text(19), address: message.text(2), fromHost: message.text(20) },
    ...{ number: message.text(3), callTo: message.text(4), username: message.text(5), password: message.text(6) },
    ...{ room: message.text(7), identity: message.text(8), name: message.text(14), metadata: message.text(15) },
    ...{ attributes: message.map(17), headers: message.map(21), headersToAttributes: message.map(22) },
    ...{ digits: message.text(11), waitsForAnswer: message.flag(29) },
    ringingTimeoutMs: durationMs(message.message(23)),
    maxDurationMs: durationMs(message.message(24)),
  };
}

/** Answers the server's wish to transfer one call. Gives what ends it. */
export function serveTransfer(
  bus: PsrpcBus,
  callId: string,
  transfer: (request: TransferParticipant) => Promise<void>,
): Promise<() => Promise<void>> {
  return bus.serve(SIP_SERVICE, "TransferSIPParticipant", callId, async (body) => {
    const message = new MessageReader(body);
    const timeoutMs = durationMs(message.message(5));
    await transfer({ transferTo: message.text(2), headers: message.map(4), timeoutMs });
    return Buffer.alloc(0);
  });
}

function callBytes(call: IncomingCall): Buffer {
  const uri = ({ user, host }: IncomingCall["from"]): Buffer => messageOf({ 1: user, 2: host });
  const { from, to } = call;
  return messageOf({ 1: call.callId, 2: call.sourceIp, 3: uri(to), 4: uri(from), 5: uri(to), 7: call.sipCallId });
}

/** Asks by which trunk a call comes, and what it must authenticate with. */
export async function askTrunkAuthentication(bus: PsrpcBus, call: IncomingCall): Promise<TrunkAuthentication> {
  const { callId, from, to, sourceIp } = call;
  const request = { 2: from.user, 3: to.user, 4: sourceIp, 5: to.host, 6: callId, 7: from.host, 8: callBytes(call) };
  const answer = new MessageReader(await bus.ask(SERVER_SERVICE, "GetSIPTrunkAuthentication", messageOf(request)));
  return {
    ...{ trunkId: answer.text(4), username: answer.text(1), password: answer.text(2), realm: answer.text(9) },
    isDropped: answer.flag(3),
  };
}

const results = ["legacy", "accept", "pin", "reject", "drop"] as const;

/** Asks into which room a call goes. */
export async function askDispatch(bus: PsrpcBus, call: IncomingCall, trunkId: string): Promise<Dispatch> {
  const { callId, from, to, sourceIp } = call;
  const request = { 2: from.user, 3: to.user, 4: sourceIp, 7: to.host, 8: callId, 10: trunkId, 11: from.host };
  const body = messageOf({ ...request, 12: callBytes(call) });
  const answer = new MessageReader(await bus.ask(SERVER_SERVICE, "EvaluateSIPDispatchRules", body));
  const result = results[answer.integer(6)] ?? "reject";
  return {
    result: result === "legacy" ? (answer.flag(3) ? "pin" : "accept") : result,
    ...{ room: answer.text(1), identity: answer.text(2), name: answer.text(7), metadata: answer.text(8) },
    ...{ attributes: answer.map(11), ruleId: answer.text(10) },
    ringingTimeoutMs: durationMs(answer.message(16)),
    maxDurationMs: durationMs(answer.message(17)),
  };
}
