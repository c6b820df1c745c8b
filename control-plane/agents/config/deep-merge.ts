/**
 * Gives `base` changed by `patch`: objects are merged key by key, everything else (lists and null too) takes the
 * patch's value, and keys that the patch lacks or holds as undefined keep theirs. Neither argument is changed.
 */
export function deepMerge(base: unknown, patch: unknown): unknown {
  if (!isObject(base) || !isObject(patch)) return patch;
  const changes = Object.entries(patch).filter(([, value]) => value !== undefined);
  // Built from entries, not by assignment: a key named __proto__ is then one like any other.
  return Object.fromEntries([
    ...Object.entries(base),
    ...changes.map(([key, value]) => [key, deepMerge(own(base, key), value)] as const),
  ]);
}

function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
