import { ServiceError } from "#protocol/errors";
import type { ModelEntity } from "#protocol/voices";

/** Kinds of voices of which a team has none here: all its voices are clones of its own. */
const foreignTypes: ReadonlySet<string> = new Set(["default", "community"]);
const ownCategory = "cloned";

const orders = {
  name: (a: ModelEntity, b: ModelEntity) => a.title.localeCompare(b.title, "en"),
  created_at_unix: (a: ModelEntity, b: ModelEntity) => Date.parse(a.created_at) - Date.parse(b.created_at),
};
type Order = keyof typeof orders;
const directions = ["asc", "desc"] as const;

/** Which voices a client asked for, and in which order. */
export interface VoiceChoice {
  /** Null is every one. */
  ids: ReadonlySet<string> | null;
  /** The filters of kinds let through what a team has: clones of its own, in no collection. */
  isOwnKind: boolean;
  order: Order;
  direction: (typeof directions)[number];
}

/**
 * Reads `voice_ids`, `category`, `voice_type`, `collection_id`, `sort` and `sort_direction` of `GET /v2/voices`; null
 * where none of them is there. Newest voices come first unless `sort` says otherwise, names from A to Z. Throws
 * `refused_parameter` for an order that there is not.
 */
export function voiceChoiceOf(query: URLSearchParams): VoiceChoice | null {
  const value = (name: string): string | null => query.get(name) || null;
  const ids = query.getAll("voice_ids").flatMap((each) => each.split(",").filter((id) => id !== ""));
  const [category, type, collection] = [value("category"), value("voice_type"), value("collection_id")];
  const [sort, direction] = [value("sort"), value("sort_direction")];
  if (ids.length === 0 && [category, type, collection, sort, direction].every((each) => each === null)) return null;
  const order = oneOf("sort", sort ?? "created_at_unix", Object.keys(orders) as Order[]);
  return {
    ids: ids.length === 0 ? null : new Set(ids),
    isOwnKind:
      (category === null || category === ownCategory) &&
      (type === null || !foreignTypes.has(type)) &&
      collection === null,
    order,
    direction: oneOf("sort_direction", direction ?? (order === "name" ? "asc" : "desc"), directions),
  };
}

/** Those of the voices that were asked for, in the order that was asked for. */
export function chosenVoices(voices: readonly ModelEntity[], choice: VoiceChoice): ModelEntity[] {
  const { ids, isOwnKind, order, direction } = choice;
  if (!isOwnKind) return [];
  const chosen = voices.filter(({ _id: id }) => ids === null || ids.has(id)).toSorted(orders[order]);
  return direction === "asc" ? chosen : chosen.toReversed();
}

function oneOf<T extends string>(parameter: string, value: string, known: readonly T[]): T {
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw new ServiceError("refused_parameter", { parameters: { parameter, detail: `use ${known.join(" or ")}` } });
}
