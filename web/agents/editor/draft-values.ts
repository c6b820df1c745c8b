import type { ConfigEntity } from "#protocol/agents/config";
import type { ConfigPatch } from "#protocol/agents/config-patch";

/**
 * A draft as the editor holds it: a plain object of sections, whose lists may have secrets to be written. Fields are
 * reached by their path, so a value is what somebody entered until the schema has seen it.
 */
export type DraftValues = Readonly<Record<string, unknown>>;
export type FieldPath = readonly string[];

/** What of a draft is its own, without what the server says about it. */
export function valuesOf(config: ConfigEntity): DraftValues {
  const { agent_id: _, config_hash: __, updated_at: ___, ...values } = config;
  return values;
}

/** What stands at a path; undefined where nothing does. */
export function valueAt(values: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((inside, name) => (isRecord(inside) ? inside[name] : undefined), values);
}

/** The values with another one at a path. */
export function withValueAt(values: DraftValues, [name, ...rest]: FieldPath, value: unknown): DraftValues {
  if (name === undefined) return values;
  const inside = values[name];
  return { ...values, [name]: rest.length === 0 ? value : withValueAt(isRecord(inside) ? inside : {}, rest, value) };
}

/**
 * The patch that makes one draft the other: objects hold what differs, lists come whole. Undefined where nothing
 * differs.
 */
export function changesOf(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return isEqual(before, after) ? undefined : after;
  const changes = Object.entries(after).flatMap(([name, value]) => {
    const change = changesOf(before[name], value);
    return change === undefined ? [] : [[name, change] as const];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

/**
 * The patch that makes one draft the other. A model of one's own and a tier exclude each other, and a model is sent
 * whole; so is the request before a call, which may not have been there.
 */
export function patchOf(before: DraftValues, after: DraftValues): ConfigPatch {
  const patch = { ...(changesOf(before, after) as Record<string, unknown> | undefined) };
  if (patch["llm"] !== undefined) {
    const custom = valueAt(after, ["llm", "custom"]);
    const tier = valueAt(after, ["llm", "tier"]);
    const isSameTier = tier === valueAt(before, ["llm", "tier"]);
    patch["llm"] = custom !== null ? { custom } : isSameTier ? { custom } : { tier };
  }
  const webhooks = patch["webhooks"];
  if (isRecord(webhooks) && isRecord(webhooks["conversation_init"]))
    patch["webhooks"] = { ...webhooks, conversation_init: valueAt(after, ["webhooks", "conversation_init"]) };
  return patch as ConfigPatch;
}

/** How many fields a patch has. */
export function countFields(patch: unknown): number {
  if (!isRecord(patch)) return 1;
  return Object.values(patch).reduce<number>((sum, value) => sum + countFields(value), 0);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
