import { LiveKitError } from "#common/livekit/livekit-error";
import type { DispatchRule, InboundTrunk, LiveKitSip, OutboundTrunk, Stored } from "#common/livekit/livekit-sip";

/** Stands in for the SIP service of a LiveKit server: keeps trunks and rules in memory. */
export interface MemorySip extends LiveKitSip {
  inbound: Map<string, Stored<InboundTrunk>>;
  outbound: Map<string, Stored<OutboundTrunk>>;
  rules: Map<string, Stored<DispatchRule>>;
  /** It does not answer while this is true. */
  isAway: boolean;
}

export function memorySip(): MemorySip {
  let ids = 0;
  const reach = <T>(operation: string, value: () => T): Promise<T> =>
    sip.isAway ? Promise.reject(new LiveKitError(operation, null, null)) : Promise.resolve(value());
  const save = <T>(store: Map<string, Stored<T>>, id: string | null, value: T): Promise<string> =>
    reach("save", () => {
      const key = id ?? `ST_${++ids}`;
      store.set(key, { ...value, id: key });
      return key;
    });
  const ofNumber = <T extends { numbers: string[] }>(store: Map<string, T>, number: string | null): T[] =>
    [...store.values()].filter(({ numbers }) => number === null || numbers.includes(number));
  const sip: MemorySip = {
    ...{ inbound: new Map(), outbound: new Map(), rules: new Map(), isAway: false },
    listInboundTrunks: (number) => reach("list", () => ofNumber(sip.inbound, number)),
    listOutboundTrunks: (number) => reach("list", () => ofNumber(sip.outbound, number)),
    listDispatchRules: () => reach("list", () => [...sip.rules.values()]),
    saveInboundTrunk: (id, trunk) => save(sip.inbound, id, trunk),
    saveOutboundTrunk: (id, trunk) => save(sip.outbound, id, trunk),
    saveDispatchRule: (id, rule) => save(sip.rules, id, rule),
    deleteTrunk: (id) => reach("delete", () => void (sip.inbound.delete(id) || sip.outbound.delete(id))),
    deleteDispatchRule: (id) => reach("delete", () => void sip.rules.delete(id)),
  };
  return sip;
}
