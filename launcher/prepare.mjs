// `node launcher/prepare.mjs && node dist/…`: brings what a cluster of the tests needs, as `npm start` does, so that
// every command of package.json works in a fresh clone. It builds with the bundles that the edge serves.
import { ensureBuild, ensureModules, ensurePackages, requireNode, say, serverPackages, SetupError } from "./setup.mjs";

try {
  requireNode();
  ensurePackages(serverPackages());
  ensureModules();
  ensureBuild();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
