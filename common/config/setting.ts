/** What a variable's text may be, for those who check it before this process does. */
export type SettingShape =
  | { type: "text" }
  | { type: "list" }
  | { type: "map" }
  | { type: "integer"; min: number; max: number }
  | { type: "choice"; values: readonly (string | number)[] }
  | { type: "url"; schemes: readonly string[] };

/** One configuration variable: how it is read, what it means, what it is when absent. */
export interface Setting<T> {
  kind: string;
  shape: SettingShape;
  defaultText: string;
  doc: string;
  secret: boolean;
  read(text: string | undefined): T;
}

interface Described {
  doc: string;
  secret?: boolean;
}

/** A whole number between `min` and `max`; put the unit into the variable's name. */
export function integer(options: Described & { default: number; min: number; max: number }): Setting<number> {
  return {
    kind: `integer ${options.min}–${options.max}`,
    shape: { type: "integer", min: options.min, max: options.max },
    defaultText: String(options.default),
    doc: options.doc,
    secret: options.secret ?? false,
    read(text) {
      if (text === undefined) return options.default;
      const value = Number(text);
      if (!Number.isInteger(value) || value < options.min || value > options.max) {
        throw new RangeError(`must be an integer from ${options.min} to ${options.max}, not "${text}"`);
      }
      return value;
    },
  };
}

/** Free text; `null` when absent and no default is given. */
export function text(options: Described & { default: string }): Setting<string>;
export function text(options: Described): Setting<string | null>;
export function text(options: Described & { default?: string }): Setting<string | null> {
  return {
    kind: "text",
    shape: { type: "text" },
    defaultText: options.default ?? "",
    doc: options.doc,
    secret: options.secret ?? false,
    read: (value) => value ?? options.default ?? null,
  };
}

/** A URL with one of the given schemes. */
export function url(options: Described & { schemes: string[] }): Setting<string | null> {
  return {
    kind: `URL (${options.schemes.join(", ")})`,
    shape: { type: "url", schemes: options.schemes },
    defaultText: "",
    doc: options.doc,
    secret: options.secret ?? false,
    read(value) {
      if (value === undefined) return null;
      const scheme = URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : "";
      if (!options.schemes.includes(scheme))
        throw new RangeError(`must be a URL starting with ${options.schemes.join(":// or ")}://`);
      return value;
    },
  };
}

/** One of a few words. */
export function choice<const T extends string>(options: Described & { default: T; values: readonly T[] }): Setting<T> {
  return {
    kind: options.values.join(" | "),
    shape: { type: "choice", values: options.values },
    defaultText: options.default,
    doc: options.doc,
    secret: false,
    read(value) {
      if (value === undefined) return options.default;
      const known = options.values.find((candidate) => candidate === value);
      if (known === undefined) throw new RangeError(`must be one of ${options.values.join(", ")}, not "${value}"`);
      return known;
    },
  };
}

/** One of a few numbers; put the unit into the variable's name or its doc. */
export function oneOfNumbers(options: Described & { default: number; values: readonly number[] }): Setting<number> {
  return {
    kind: options.values.join(" | "),
    shape: { type: "choice", values: options.values },
    defaultText: String(options.default),
    doc: options.doc,
    secret: false,
    read(value) {
      if (value === undefined) return options.default;
      const known = options.values.find((candidate) => String(candidate) === value.trim());
      if (known === undefined) throw new RangeError(`must be one of ${options.values.join(", ")}, not "${value}"`);
      return known;
    },
  };
}

/** Comma-separated words. */
export function list(options: Described & { default: string[] }): Setting<readonly string[]> {
  return {
    kind: "comma-separated list",
    shape: { type: "list" },
    defaultText: options.default.join(","),
    doc: options.doc,
    secret: false,
    read: (value) =>
      Object.freeze(
        value === undefined
          ? [...options.default]
          : value
              .split(",")
              .map((item) => item.trim())
              .filter((item) => item !== ""),
      ),
  };
}

/** Comma-separated `name=value` pairs. */
export function map(
  options: Described & { default: Record<string, string> },
): Setting<Readonly<Record<string, string>>> {
  return {
    kind: "comma-separated name=value pairs",
    shape: { type: "map" },
    defaultText: Object.entries(options.default)
      .map(([name, value]) => `${name}=${value}`)
      .join(","),
    doc: options.doc,
    secret: false,
    read(value) {
      if (value === undefined) return Object.freeze({ ...options.default });
      const pairs = value
        .split(",")
        .filter((item) => item.trim() !== "")
        .map((item) => {
          const at = item.indexOf("=");
          if (at < 1) throw new RangeError(`must be name=value pairs, not "${item}"`);
          return [item.slice(0, at).trim(), item.slice(at + 1).trim()] as const;
        });
      return Object.freeze({ ...options.default, ...Object.fromEntries(pairs) });
    },
  };
}

/** What a model costs: US dollars for a million tokens, decimals in text. */
export interface ModelPrice {
  input: string;
  output: string;
}

const decimal = /^\d{1,9}(\.\d{1,6})?$/;

/** Comma-separated prices, each `model=input/output`; a model's name may itself have slashes and equal signs. */
export function prices(options: Described): Setting<Readonly<Record<string, ModelPrice>>> {
  return {
    kind: "comma-separated model=input/output pairs",
    shape: { type: "map" },
    defaultText: "",
    doc: options.doc,
    secret: false,
    read(value) {
      const pairs = (value ?? "")
        .split(",")
        .filter((item) => item.trim() !== "")
        .map((item) => {
          const at = item.lastIndexOf("=");
          const [input = "", output = "", ...rest] = item
            .slice(at + 1)
            .trim()
            .split("/");
          if (at < 1 || rest.length > 0 || !decimal.test(input) || !decimal.test(output))
            throw new RangeError(`must be model=input/output pairs such as "gpt-4o=2.5/10", not "${item.trim()}"`);
          return [item.slice(0, at).trim(), Object.freeze({ input, output })] as const;
        });
      return Object.freeze(Object.fromEntries(pairs));
    },
  };
}
