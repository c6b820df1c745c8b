import { termsOf } from "#common/text/terms";

/**
 * Postgres's bounds: positions count up to 16383, and a lexeme has at most 255 of them (Postgres documentation,
 * "Limitations" of text search).
 */
const MAX_POSITION = 16_383;
const MAX_POSITIONS_PER_TERM = 255;

/** A passage's terms as the database keeps them. */
export interface TermVector {
  /** Literal of a `tsvector`; terms of the heading have weight A. */
  literal: string;
  /** How many terms, repeated ones each time. */
  termCount: number;
}

/** Indexes a passage. Terms consist of letters and digits only, so that nothing in the literal needs escaping. */
export function termVector(heading: string, content: string): TermVector {
  const places = new Map<string, string[]>();
  const marked = [
    ...termsOf(heading).map((term) => [term, "A"] as const),
    ...termsOf(content).map((term) => [term, ""] as const),
  ];
  for (const [index, [term, weight]] of marked.entries()) {
    const list = places.get(term) ?? [];
    places.set(term, list);
    if (list.length < MAX_POSITIONS_PER_TERM) list.push(`${Math.min(index + 1, MAX_POSITION)}${weight}`);
  }
  const literal = [...places].map(([term, list]) => `'${term}':${list.join(",")}`).join(" ");
  return { literal, termCount: marked.length };
}

/** Literal of a `tsquery` that matches passages with any of these terms. */
export function anyOf(terms: readonly string[]): string {
  return terms.map((term) => `'${term}'`).join(" | ");
}
