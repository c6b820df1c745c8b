import { type CreditReply, type CreditRequest, controlSubjects } from "#protocol/bus/control";
import { newIdentifier } from "#common/identifier";
import { askControlPlane } from "../ask-control-plane.js";
import { type Command, CommandError, exitCodes, type OptionValues } from "../command.js";
import { textTable } from "../table.js";

const amountPattern = /^\d{1,9}(\.\d{1,6})?$/;

export const creditCommand: Command = {
  name: "credit",
  arguments: "add|take|show|audit",
  summary: "Gives teams credit, shows what became of it, and proves the ledger.",
  details: [
    "  credit add TEAM AMOUNT    gives a team credit, such as 25 or 0.5",
    "  credit take TEAM AMOUNT   takes credit back, at most what is left",
    "  credit show TEAM          balances and the newest entries",
    "  credit audit              checks every account against its entries; ends with 1 when something is wrong",
  ],
  options: {
    note: { type: "string", value: "TEXT", doc: "add, take: why, for those who read the ledger." },
    id: {
      type: "string",
      value: "ID",
      doc: "add, take: a name of your own for this movement; the same id moves credit once.",
    },
    json: { type: "boolean", doc: "As JSON." },
  },
  async run(terminal, positionals, values) {
    const request = creditRequest(positionals, values, newIdentifier);
    const reply = await askControlPlane<CreditReply>(terminal, controlSubjects.credit, request);
    if (values.json === true) terminal.stdout.write(`${JSON.stringify(reply, null, 2)}\n`);
    else terminal.stdout.write(request.action === "audit" ? auditText(reply) : creditPage(reply));
    return reply.findings.length === 0 ? exitCodes.ok : exitCodes.failed;
  },
};

/** The request that the arguments make. Throws CommandError (usage). */
function creditRequest(positionals: string[], values: OptionValues, newId: () => string): CreditRequest {
  const [action, teamId, amount, ...more] = positionals;
  if (more.length > 0) throw new CommandError(`too many arguments: ${more.join(" ")}`, exitCodes.usage);
  if (action === "audit" && teamId === undefined) return { action };
  if (action === "show" && teamId !== undefined && amount === undefined) return { action, teamId };
  if ((action === "add" || action === "take") && teamId !== undefined && amount !== undefined) {
    if (!amountPattern.test(amount) || Number(amount) === 0) {
      throw new CommandError("AMOUNT is a decimal above 0 with at most six decimals", exitCodes.usage);
    }
    return {
      action: "grant",
      grantId: typeof values.id === "string" && values.id !== "" ? values.id : newId(),
      teamId,
      amount: action === "add" ? amount : `-${amount}`,
      note: typeof values.note === "string" ? values.note : "",
    };
  }
  throw new CommandError(
    "say: credit add TEAM AMOUNT, credit take TEAM AMOUNT, credit show TEAM, or credit audit",
    exitCodes.usage,
  );
}

function auditText({ findings }: CreditReply): string {
  return findings.length === 0 ? "The ledger balances.\n" : findings.map((line) => `${line}\n`).join("");
}

function creditPage({ balances, entries }: CreditReply): string {
  if (balances === null) return "";
  const { teamId, credit, held, granted, spent } = balances;
  const summary = `Team ${teamId}: ${credit} left, ${held} held, ${granted} given, ${spent} spent.\n`;
  const rows = entries.map((entry) => [
    new Date(entry.occurredAtMs).toISOString(),
    entry.kind,
    entry.amount,
    entry.note,
    entry.entryId,
  ]);
  return rows.length === 0 ? summary : `${summary}${textTable([["WHEN", "KIND", "CREDIT", "NOTE", "ENTRY"], ...rows])}`;
}
