import { controlSubjects, type KeysReply, type KeysRequest, type KeySummary } from "#protocol/bus/control";
import { askControlPlane } from "../ask-control-plane.js";
import { type Command, CommandError, exitCodes, type OptionValues } from "../command.js";
import { textTable } from "../table.js";

const DAY_MS = 86_400_000;

export const keysCommand: Command = {
  name: "keys",
  arguments: "create|list|revoke",
  summary: "Makes, lists and revokes API keys of the running cluster.",
  details: [
    "  keys create NAME   prints the new key on standard output; it is not shown again",
    "  keys list          one key a line",
    "  keys revoke ID     the key stops working at once, everywhere",
  ],
  options: {
    team: {
      type: "string",
      value: "ID",
      doc: "create: the team that the key belongs to; the development team when absent.",
    },
    scopes: { type: "string", value: "A,B", doc: "create: comma-separated scopes; all when absent." },
    "expires-days": { type: "string", value: "N", doc: "create: days until the key expires; never when absent." },
    json: { type: "boolean", doc: "list: as JSON." },
  },
  async run(terminal, positionals, values) {
    const request = keysRequest(positionals, values);
    const reply = await askControlPlane<KeysReply>(terminal, controlSubjects.keys, request);
    if (request.action === "create") {
      const [summary] = reply.keys;
      terminal.stderr.write(`Key ${summary?.keyId ?? ""} of team ${summary?.teamId ?? ""}; it is shown this once:\n`);
      terminal.stdout.write(`${reply.key ?? ""}\n`);
    } else if (request.action === "list") {
      terminal.stdout.write(values.json === true ? `${JSON.stringify(reply.keys, null, 2)}\n` : keyTable(reply.keys));
    } else {
      terminal.stderr.write(`Key ${request.keyId} is revoked.\n`);
    }
    return exitCodes.ok;
  },
};

/** The request that the arguments make. Throws CommandError (usage). */
function keysRequest(positionals: string[], values: OptionValues): KeysRequest {
  const [action, argument, ...more] = positionals;
  if (more.length > 0) throw new CommandError(`too many arguments: ${more.join(" ")}`, exitCodes.usage);
  if (action === "list" && argument === undefined) return { action };
  if (action === "create" && argument !== undefined) {
    const days = values["expires-days"] === undefined ? null : Number(values["expires-days"]);
    if (days !== null && !(days > 0)) throw new CommandError("--expires-days is a number above 0", exitCodes.usage);
    return {
      action,
      name: argument,
      teamId: typeof values.team === "string" ? values.team : null,
      scopes:
        typeof values.scopes === "string"
          ? values.scopes
              .split(",")
              .map((scope) => scope.trim())
              .filter((scope) => scope !== "")
          : null,
      expiresInMs: days === null ? null : days * DAY_MS,
    };
  }
  if (action === "revoke" && argument !== undefined) return { action, keyId: argument };
  throw new CommandError("say: keys create NAME, keys list, or keys revoke ID", exitCodes.usage);
}

function keyTable(keys: readonly KeySummary[]): string {
  const day = (ms: number | null): string => (ms === null ? "never" : new Date(ms).toISOString().slice(0, 10));
  const rows = keys.map((key) => [
    key.keyId,
    key.name,
    key.prefix,
    key.teamId,
    key.scopes.join(","),
    day(key.createdAtMs),
    day(key.lastUsedAtMs),
    key.revokedAtMs === null ? day(key.expiresAtMs) : "revoked",
  ]);
  return textTable([["ID", "NAME", "KEY", "TEAM", "SCOPES", "MADE", "USED", "EXPIRES"], ...rows]);
}
