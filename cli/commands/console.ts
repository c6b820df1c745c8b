import type { SignInCode } from "#protocol/console";
import { issueSignInCode } from "#protocol/operations/console";
import { type Command, CommandError, exitCodes } from "../command.js";
import { apiOptions, openPublicApi } from "../public-api.js";

export const consoleCommand: Command = {
  name: "console",
  arguments: "",
  summary: "Prints a link that opens the console signed in, once.",
  details: [
    "The link is good for ten minutes and for one sign-in, with the key that the command uses. Whoever opens it may do what the key may.",
  ],
  options: apiOptions,
  async run(terminal, positionals, values) {
    if (positionals.length > 0) throw new CommandError("console takes options only", exitCodes.usage);
    const api = openPublicApi(terminal, values);
    const { path } = await api.ask<SignInCode>(issueSignInCode.method, issueSignInCode.path);
    terminal.stdout.write(`${api.baseUrl}${path}\n`);
    return exitCodes.ok;
  },
};
