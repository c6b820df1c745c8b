// `npm test`: sets up, builds, lints and tests; the last line says how many passed and failed. `--all` (in CI always)
// brings what the last tests need, `--yes` (in CI always) asks nothing; what else is given goes to Vitest.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import {
  ensureBuild,
  ensureChartPrograms,
  ensureLiveKit,
  ensureModules,
  ensurePackages,
  ensureTestModules,
  installCommand,
  leftOut,
  requireNode,
  root,
  say,
  serverPackages,
  SetupError,
  testPackages,
} from "./setup.mjs";

/** Runs a program of a node module with its output shown; gives the exit status. */
function runModule(path, args) {
  return (
    spawnSync(process.execPath, [join(root, "node_modules", ...path), ...args], {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
    }).status ?? 1
  );
}

/** Counts of one vitest run from its JSON report. A file that could not even be loaded counts as one failure. */
export function countResults(report, status) {
  const unloadable = report.testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  );
  const failed = report.numFailedTests + unloadable.length;
  return {
    passed: report.numPassedTests,
    // An unhandled error fails the run without failing a test.
    failed: failed === 0 && status !== 0 ? 1 : failed,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  };
}

function runTests(args) {
  const directory = mkdtempSync(join(tmpdir(), "parley-vitest-"));
  try {
    const file = join(directory, "report.json");
    const status = runModule(
      ["vitest", "vitest.mjs"],
      ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${file}`, ...args],
    );
    return countResults(JSON.parse(readFileSync(file, "utf8")), status);
  } catch (error) {
    say(`vitest left no report: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Asks the person at the terminal before packages of the system are installed; throws SetupError for a no. */
async function askForPackages(packages) {
  const command = installCommand(packages);
  if (command === null || !process.stdin.isTTY) return;
  say(`the tests need packages that this system lacks. This installs them: ${command}`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question("parley: run it now? [y/N] ");
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new SetupError("nothing was installed, and nothing was tested");
}

async function main(args) {
  const inCi = ![undefined, "", "0", "false"].includes(process.env.CI);
  const all = inCi || args.includes("--all");
  const asks = !inCi && !args.includes("--yes");
  let counts = { passed: 0, failed: 1, skipped: 0 };
  let missing = null;
  try {
    requireNode();
    const packages = [...serverPackages(), ...testPackages];
    if (asks) await askForPackages(packages);
    ensurePackages(packages);
    ensureModules();
    if (all) ensureTestModules();
    ensureBuild();
    if (all) {
      await ensureLiveKit();
      await ensureChartPrograms();
    }
    missing = leftOut();
    say("linting, and checking the format");
    const lintStatus = runModule(["@biomejs", "biome", "bin", "biome"], ["check", "--error-on-warnings"]);
    say("testing");
    counts = runTests(args.filter((argument) => argument !== "--all" && argument !== "--yes"));
    if (lintStatus !== 0) {
      counts.failed += 1;
      say("the linter or the formatter found problems; they are above the tests' output");
    }
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
  }
  if (missing !== null) say(missing);
  process.exitCode = counts.failed === 0 ? 0 : 1;
  console.log(
    `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}`,
  );
}

if (realpathSync(process.argv[1]) === import.meta.filename) await main(process.argv.slice(2));
