import { controlSubjects, type TeamSummary, type TeamsReply, type TeamsRequest } from "#protocol/bus/control";
import { askControlPlane } from "../ask-control-plane.js";
import { type Command, CommandError, exitCodes, type OptionValues } from "../command.js";
import { textTable } from "../table.js";

export const teamsCommand: Command = {
  name: "teams",
  arguments: "create|list|change",
  summary: "Makes, lists and changes teams of the running cluster.",
  details: [
    "  teams create NAME   prints the new team's id; give it keys and credit with `parley keys` and `parley credit`",
    "  teams list          one team a line",
    "  teams change ID     changes what the options name",
  ],
  options: {
    beta: {
      type: "string",
      value: "on|off",
      doc: "create, change: whether the team may make agents; off when absent at creation.",
    },
    streams: {
      type: "string",
      value: "N",
      doc: "create, change: streams that the team may have at once; 0 is no limit.",
    },
    name: { type: "string", value: "NAME", doc: "change: the team's new name." },
    json: { type: "boolean", doc: "As JSON." },
  },
  async run(terminal, positionals, values) {
    const request = teamsRequest(positionals, values);
    const { teams } = await askControlPlane<TeamsReply>(terminal, controlSubjects.teams, request);
    if (values.json === true) terminal.stdout.write(`${JSON.stringify(teams, null, 2)}\n`);
    else if (request.action === "create") terminal.stdout.write(`${teams[0]?.teamId ?? ""}\n`);
    else terminal.stdout.write(teamTable(teams));
    return exitCodes.ok;
  },
};

/** The request that the arguments make. Throws CommandError (usage). */
function teamsRequest(positionals: string[], values: OptionValues): TeamsRequest {
  const [action, argument, ...more] = positionals;
  if (more.length > 0) throw new CommandError(`too many arguments: ${more.join(" ")}`, exitCodes.usage);
  const [betaAccess, maxConcurrentStreams] = [onOrOff(values.beta), streamCount(values.streams)];
  if (action === "list" && argument === undefined) return { action };
  if (action === "create" && argument !== undefined) {
    return { action, name: argument, betaAccess: betaAccess ?? false, maxConcurrentStreams: maxConcurrentStreams ?? 0 };
  }
  if (action === "change" && argument !== undefined) {
    return {
      action,
      teamId: argument,
      name: typeof values.name === "string" ? values.name : null,
      betaAccess,
      maxConcurrentStreams,
    };
  }
  throw new CommandError("say: teams create NAME, teams list, or teams change ID", exitCodes.usage);
}

function onOrOff(value: OptionValues[string]): boolean | null {
  if (value === undefined) return null;
  if (value !== "on" && value !== "off") throw new CommandError("--beta is on or off", exitCodes.usage);
  return value === "on";
}

function streamCount(value: OptionValues[string]): number | null {
  if (value === undefined) return null;
  const count = Number(value);
  if (value === "" || !Number.isInteger(count) || count < 0)
    throw new CommandError("--streams is a whole number, 0 or more", exitCodes.usage);
  return count;
}

function teamTable(teams: readonly TeamSummary[]): string {
  const rows = teams.map((team) => [
    team.teamId,
    team.name,
    team.credit,
    team.betaAccess ? "on" : "off",
    team.maxConcurrentStreams === 0 ? "no limit" : String(team.maxConcurrentStreams),
    new Date(team.createdAtMs).toISOString().slice(0, 10),
  ]);
  return textTable([["ID", "NAME", "CREDIT", "BETA", "STREAMS", "MADE"], ...rows]);
}
