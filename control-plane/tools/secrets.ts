import { SealError, type Sealer } from "#common/secrets/sealer";
import type { Problem } from "#protocol/errors";
import type { ToolHeaderInput } from "#protocol/tools";
import { credentialContext } from "#tools/credentials";
import type { StoredHeader } from "#tools/definition";

/** Headers apart from their secrets, and what is wrong with those. */
export interface SplitHeaders {
  headers: StoredHeader[];
  /** Sealed, by lower-case header name. */
  secrets: Record<string, string>;
  problems: Problem[];
}

/** What is there already, for headers that are written back without their value. */
export interface StoredCredentials {
  headers: readonly StoredHeader[];
  secrets: Readonly<Record<string, string>>;
}

/**
 * Takes the credentials out of the headers and seals them. A null value keeps the credential of the same name and kind,
 * or its absence where it was dropped. One that is sent again unchanged keeps its seal, so that writing back the same
 * tool does not count as a change.
 */
export function splitHeaders(
  toolId: string,
  given: readonly ToolHeaderInput[],
  stored: StoredCredentials,
  sealer: Sealer,
): SplitHeaders {
  const split: SplitHeaders = { headers: [], secrets: {}, problems: [] };
  for (const [index, { name, kind, value }] of given.entries()) {
    const key = name.toLowerCase();
    const isCredential = kind !== "custom";
    const isKnown = stored.headers.some((header) => header.name.toLowerCase() === key && header.kind === kind);
    if (value === null && !(isCredential && isKnown)) {
      split.problems.push({
        type: "string_type",
        loc: ["body", "headers", index, "value"],
        msg: "Input should be a valid string",
      });
    }
    split.headers.push({ name, kind, value: isCredential ? null : value });
    const kept = isKnown ? stored.secrets[key] : undefined;
    if (!isCredential || (value === null && kept === undefined)) continue;
    const context = credentialContext(toolId, name);
    const isSame = kept !== undefined && (value === null || opens(sealer, kept, context, value));
    split.secrets[key] = isSame ? kept : sealer.seal(value ?? "", context);
  }
  return split;
}

/**
 * Whether a sealed text is this one. What no longer opens, its key being gone, is not: writing the credential anew must
 * stay possible.
 */
function opens(sealer: Sealer, sealed: string, context: string, plain: string): boolean {
  try {
    return sealer.open(sealed, context) === plain;
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}
