import {
  SIPDispatchRule,
  SIPDispatchRuleIndividual,
  SIPDispatchRuleInfo,
  SIPInboundTrunkInfo,
  SIPOutboundTrunkInfo,
  SipClient,
} from "livekit-server-sdk";
import { askLiveKit, unlessMissing } from "./livekit-error.js";
import type { LiveKitAccess } from "./livekit-server.js";
import { httpUrl } from "./reachability.js";

/** By what calls leave; `auto` is LiveKit's choice. In the order of LiveKit's own numbers for them. */
const transports = ["auto", "udp", "tcp", "tls"] as const;

/** From where calls to some numbers are taken. */
export interface InboundTrunk {
  name: string;
  numbers: string[];
  /** Addresses and blocks that a call may come from; empty is everywhere. */
  allowedAddresses: string[];
  /** What a caller's side must authenticate with; empty is nothing. */
  authUsername: string;
  authPassword: string;
  metadata: string;
}

/** Where calls from some numbers leave to. */
export interface OutboundTrunk {
  name: string;
  numbers: string[];
  /** `hostname[:port]`. */
  address: string;
  transport: (typeof transports)[number];
  authUsername: string;
  authPassword: string;
  metadata: string;
}

/** Sends each call that comes by its trunks into a room of its own. */
export interface DispatchRule {
  name: string;
  trunkIds: string[];
  /** What the names of its rooms begin with. */
  roomPrefix: string;
  /** Of the caller as a participant. */
  attributes: Record<string, string>;
  metadata: string;
}

/** An object as the server has it. */
export type Stored<T> = T & { id: string };

/**
 * Trunks and dispatch rules of a LiveKit server, which has them where its configuration names a Redis server. Every
 * call rejects with LiveKitError.
 */
export interface LiveKitSip {
  /** Of one number, or with null of all. */
  listInboundTrunks(number: string | null): Promise<Stored<InboundTrunk>[]>;
  listOutboundTrunks(number: string | null): Promise<Stored<OutboundTrunk>[]>;
  listDispatchRules(): Promise<Stored<DispatchRule>[]>;
  /** Makes a trunk, or with an id replaces that one; gives the id. */
  saveInboundTrunk(id: string | null, trunk: InboundTrunk): Promise<string>;
  saveOutboundTrunk(id: string | null, trunk: OutboundTrunk): Promise<string>;
  saveDispatchRule(id: string | null, rule: DispatchRule): Promise<string>;
  /** Deletes a trunk of either kind; nothing happens where there is none. */
  deleteTrunk(id: string): Promise<void>;
  deleteDispatchRule(id: string): Promise<void>;
}

/** Seconds that the server may take to answer. */
const ANSWER_SECONDS = 5;

/** Calls of the server's SIP service. Opens no connection: every call is a request of its own. */
export function openLiveKitSip(access: LiveKitAccess): LiveKitSip {
  const client = new SipClient(httpUrl(access.url), access.apiKey, access.apiSecret, {
    requestTimeout: ANSWER_SECONDS,
  });
  const filter = (number: string | null) => (number === null ? {} : { numbers: [number] });
  return {
    listInboundTrunks: (number) =>
      askLiveKit("listSipInboundTrunk", async () =>
        (await client.listSipInboundTrunk(filter(number))).map(toInboundTrunk),
      ),
    listOutboundTrunks: (number) =>
      askLiveKit("listSipOutboundTrunk", async () =>
        (await client.listSipOutboundTrunk(filter(number))).map(toOutboundTrunk),
      ),
    listDispatchRules: () =>
      askLiveKit("listSipDispatchRule", async () => (await client.listSipDispatchRule()).map(toDispatchRule)),
    saveInboundTrunk: (id, { name, numbers, ...rest }) =>
      askLiveKit("saveSipInboundTrunk", async () => {
        if (id === null) return (await client.createSipInboundTrunk(name, numbers, rest)).sipTrunkId;
        await client.updateSipInboundTrunk(id, new SIPInboundTrunkInfo({ name, numbers, ...rest }));
        return id;
      }),
    saveOutboundTrunk: (id, { name, numbers, address, transport, ...rest }) =>
      askLiveKit("saveSipOutboundTrunk", async () => {
        const settings = { ...rest, transport: transports.indexOf(transport) };
        if (id === null) return (await client.createSipOutboundTrunk(name, address, numbers, settings)).sipTrunkId;
        await client.updateSipOutboundTrunk(id, new SIPOutboundTrunkInfo({ name, numbers, address, ...settings }));
        return id;
      }),
    saveDispatchRule: (id, { roomPrefix, ...rest }) =>
      askLiveKit("saveSipDispatchRule", async () => {
        if (id === null)
          return (await client.createSipDispatchRule({ type: "individual", roomPrefix }, rest)).sipDispatchRuleId;
        const value = new SIPDispatchRuleIndividual({ roomPrefix });
        const rule = new SIPDispatchRule({ rule: { case: "dispatchRuleIndividual", value } });
        await client.updateSipDispatchRule(id, new SIPDispatchRuleInfo({ ...rest, rule }));
        return id;
      }),
    deleteTrunk: (id) =>
      unlessMissing("deleteSipTrunk", undefined, async () => {
        await client.deleteSipTrunk(id);
      }),
    deleteDispatchRule: (id) =>
      unlessMissing("deleteSipDispatchRule", undefined, async () => {
        await client.deleteSipDispatchRule(id);
      }),
  };
}

function toInboundTrunk(info: SIPInboundTrunkInfo): Stored<InboundTrunk> {
  const { sipTrunkId: id, name, numbers, allowedAddresses, authUsername, authPassword, metadata } = info;
  return { id, name, numbers, allowedAddresses, authUsername, authPassword, metadata };
}

function toOutboundTrunk(info: SIPOutboundTrunkInfo): Stored<OutboundTrunk> {
  const { sipTrunkId: id, name, numbers, address, authUsername, authPassword, metadata } = info;
  const transport = transports[info.transport] ?? "auto";
  return { id, name, numbers, address, transport, authUsername, authPassword, metadata };
}

/** A rule of another kind has no prefix: it differs from every rule of ours. */
function toDispatchRule(info: SIPDispatchRuleInfo): Stored<DispatchRule> {
  const { sipDispatchRuleId: id, name, trunkIds, attributes, metadata } = info;
  const kind = info.rule?.rule;
  const roomPrefix = kind?.case === "dispatchRuleIndividual" ? kind.value.roomPrefix : "";
  return { id, name, trunkIds, roomPrefix, attributes, metadata };
}
