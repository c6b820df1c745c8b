import type { DispatchRule, InboundTrunk, LiveKitSip, OutboundTrunk, Stored } from "#common/livekit/livekit-sip";
import { objectChanges } from "./object-changes.js";
import { type Installation, ownerOf, type WantedObjects } from "./wanted-objects.js";

/** The objects of a LiveKit server that belong to this installation. */
export interface OwnObjects {
  inbound: Stored<InboundTrunk>[];
  outbound: Stored<OutboundTrunk>[];
  rules: Stored<DispatchRule>[];
}

/** Reads the installation's objects: of all numbers, or the trunks of one, whoever it belonged to, and every rule. */
export async function readObjects(
  sip: LiveKitSip,
  installation: Installation,
  number: string | null,
): Promise<OwnObjects> {
  const isOurs = (object: { metadata: string }): boolean => ownerOf(installation, object) !== null;
  const [inbound, outbound, rules] = await Promise.all([
    sip.listInboundTrunks(number),
    sip.listOutboundTrunks(number),
    sip.listDispatchRules(),
  ]);
  return { inbound: inbound.filter(isOurs), outbound: outbound.filter(isOurs), rules: rules.filter(isOurs) };
}

/** Those of one number. */
export function objectsOf(installation: Installation, objects: OwnObjects, phoneId: string): OwnObjects {
  const isIts = (object: { metadata: string }): boolean => ownerOf(installation, object) === phoneId;
  return {
    inbound: objects.inbound.filter(isIts),
    outbound: objects.outbound.filter(isIts),
    rules: objects.rules.filter(isIts),
  };
}

/** Gives the number the objects that it should have; with null, none. Resolves with how many it changed. */
export async function alignObjects(sip: LiveKitSip, wanted: WantedObjects | null, found: OwnObjects): Promise<number> {
  const inbound = objectChanges(wanted?.inbound ?? null, found.inbound);
  const outbound = objectChanges(wanted?.outbound ?? null, found.outbound);
  // Two trunks with one number would be a conflict: what is too much goes first.
  const surplusTrunks = [...inbound.deleteIds, ...outbound.deleteIds];
  for (const id of surplusTrunks) await sip.deleteTrunk(id);
  const inboundId =
    inbound.save === null ? inbound.unchangedId : await sip.saveInboundTrunk(inbound.save.id, inbound.save.value);
  if (outbound.save !== null) await sip.saveOutboundTrunk(outbound.save.id, outbound.save.value);
  const rule = wanted?.rule ?? null;
  const rules = objectChanges(
    rule === null || inboundId === null ? null : { ...rule, trunkIds: [inboundId] },
    found.rules,
  );
  if (rules.save !== null) await sip.saveDispatchRule(rules.save.id, rules.save.value);
  for (const id of rules.deleteIds) await sip.deleteDispatchRule(id);
  const saved = [inbound.save, outbound.save, rules.save].filter((save) => save !== null).length;
  return saved + surplusTrunks.length + rules.deleteIds.length;
}
