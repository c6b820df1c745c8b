// The second half of `npm run build`: the console, the widget and the reference, where something of it changed.
import { ensureConsole, say, SetupError } from "./setup.mjs";

try {
  ensureConsole();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
