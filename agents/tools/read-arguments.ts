/** Longest arguments that are read, in UTF-16 units. */
const MAX_CHARACTERS = 100_000;

export type ReadArguments = { ok: true; args: Record<string, unknown> } | { ok: false; message: string };

/**
 * A tool call's arguments as the model wrote them. Nothing at all stands for none; anything but a JSON object is told
 * to the model, which may try again. Pure.
 */
export function readArguments(json: string): ReadArguments {
  if (json.trim() === "") return { ok: true, args: {} };
  if (json.length > MAX_CHARACTERS) return { ok: false, message: "The arguments are too long" };
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { ok: true, args: value as Record<string, unknown> };
    return value === null ? { ok: true, args: {} } : { ok: false, message: "The arguments are not a JSON object" };
  } catch {
    return { ok: false, message: "The arguments are not valid JSON" }; // SyntaxError
  }
}
