/**
 * Where a client puts a parameter. `form` is a part of a multipart body, `frame` a field of a WebSocket's JSON frames.
 */
export type ParameterPlace = "body" | "form" | "query" | "header" | "frame";

/**
 * One parameter of another vendor's API, and what becomes of it here. The routers use these rows,
 * `docs/compatibility.md` is written from them, and a test provokes each with its `example`.
 *
 * - `mapped`: has the effect that `note` says;
 * - `ignored`: is accepted and changes nothing, for the reason in `note`;
 * - `refused`: is a 400 as soon as it is set (`isSet`); `note` is part of the message.
 */
export interface ParameterRow {
  /** Name as the client writes it; dots lead into objects (`voice_settings.speed`). */
  readonly name: string;
  readonly place: ParameterPlace;
  readonly treatment: "mapped" | "ignored" | "refused";
  readonly note: string;
  /** A value that shows the treatment. */
  readonly example: unknown;
  /** Values of a refused parameter that ask for nothing special. */
  readonly harmless?: readonly unknown[];
  /** Refused when it is there and not set: a wish to turn something off. */
  readonly refusedWhenOff?: boolean;
}

type MakeRow = (name: string, note: string, example: unknown) => ParameterRow;

/** Makers of rows for parameters of one place. */
export function rowsIn(place: ParameterPlace): Record<ParameterRow["treatment"], MakeRow> {
  const rows =
    (treatment: ParameterRow["treatment"]): MakeRow =>
    (name, note, example) => ({ name, place, treatment, note, example });
  return { mapped: rows("mapped"), ignored: rows("ignored"), refused: rows("refused") };
}

/** One operation of another vendor's interface with all its parameters. */
export interface CompatOperation {
  readonly protocol: "OpenAI, OpenRouter, Groq" | "ElevenLabs";
  readonly method: "GET" | "POST" | "WebSocket";
  /** Path after the protocol's mount. */
  readonly path: string;
  readonly summary: string;
  /** Largest body, or largest frame of a WebSocket. */
  readonly maxBytes: number;
  readonly parameters: readonly ParameterRow[];
}

const unsetWords: ReadonlySet<string> = new Set(["", "false", "none", "off", "null", "0", "no"]);

/**
 * The truthiness rule of the compatibility layers: false, 0, null, empty, and the words `false`, `none` and `off` mean
 * that a parameter is not set.
 */
export function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0) return false;
  if (typeof value === "string") return !unsetWords.has(value.trim().toLowerCase());
  if (Array.isArray(value)) return value.length > 0;
  return true;
}

/** The value at a dotted path; undefined where something on the way is missing. */
export function valueAt(source: unknown, path: string): unknown {
  let value = source;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
