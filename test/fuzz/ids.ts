import type { FuzzOperation } from "./description.js";
import type { Draw } from "./random.js";
import { hostileTexts } from "./values.js";

/** Ids that answers named, by the name of the field or placeholder. */
export class KnownIds {
  readonly #ids = new Map<string, string[]>();
  /**
   * Of what was made before, and fits together: a conversation that is over, of this agent. They are asked about alone,
   * so that they stay.
   */
  readonly past: Readonly<Record<string, string>>;

  constructor(past: Readonly<Record<string, string>> = {}) {
    this.past = past;
  }

  /** Takes every id of an answer. */
  learn(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.learn(item);
    if (typeof value !== "object" || value === null) return;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === "string" && /(^|_)id$/.test(name)) this.#add(name, field);
      else this.learn(field);
    }
  }

  /** One for a placeholder, or null. Placeholders and fields do not always have one name. */
  one(placeholder: string, pattern: string, draw: Draw): string | null {
    const aliases = pattern.startsWith("/model")
      ? ["_id"]
      : placeholder === "source_id"
        ? ["knowledge_source_id"]
        : [placeholder];
    const found = aliases.flatMap((name) => this.#ids.get(name) ?? []);
    return found.length === 0 ? null : draw.one(found);
  }

  /** What was deleted is drawn no more. */
  purge(id: string): void {
    for (const [name, list] of this.#ids)
      this.#ids.set(
        name,
        list.filter((known) => known !== id),
      );
  }

  #add(name: string, id: string): void {
    if (Object.values(this.past).includes(id)) return;
    const list = this.#ids.get(name) ?? [];
    if (!list.includes(id)) this.#ids.set(name, [...list, id].slice(-30));
  }
}

/**
 * A path of the operation, with ids that exist mostly; those of what is deleted more rarely, or little would be left to
 * ask about. `isOfPast`: with those that were made before, where it only asks.
 */
export function drawPath(
  target: FuzzOperation,
  draw: Draw,
  ids: KnownIds,
  isOfPast: boolean = draw.chance(0.3),
): string {
  const past = isOfPast && asksAboutPast(target) ? ids.past : {};
  return target.pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
    percent(past[name] ?? drawId(name, target, draw, ids)),
  );
}

/** What was made before stays as it is: it is read, and analyzed again. */
function asksAboutPast({ method, pattern }: FuzzOperation): boolean {
  return method === "GET" || pattern.endsWith("/analysis");
}

function drawId(name: string, { method, pattern }: FuzzOperation, draw: Draw, ids: KnownIds): string {
  const known = ids.one(name, pattern, draw);
  if (known !== null && draw.chance(method === "DELETE" ? 0.3 : 0.9)) return known;
  if (name === "version_number") return draw.one(["1", "2", "0", "-1", "1e3", "one", "99999999999999999999"]);
  return draw.one([
    "f".repeat(32),
    "self",
    "0",
    "x",
    "00000000-0000-0000-0000-000000000000",
    ...hostileTexts.filter((text) => text.length > 1 && text.length < 400),
  ]);
}

/** As a part of a URL; lone surrogates have no place there and become U+FFFD. */
export function percent(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
