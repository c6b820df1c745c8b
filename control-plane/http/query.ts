/**
 * Gives a query as a plain record for validation: of a name that came several times the last value counts, as in the
 * service that this interface describes, except for `repeatable` names, which are lists of all their values.
 */
export function queryRecord(query: URLSearchParams, repeatable: readonly string[]): Record<string, string | string[]> {
  const names = [...new Set(query.keys())];
  return Object.fromEntries(
    names.map((name) => [name, repeatable.includes(name) ? query.getAll(name) : (query.getAll(name).at(-1) ?? "")]),
  );
}
