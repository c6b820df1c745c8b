// `npm test`: sets up, builds, lints and tests; the last line says how many passed and failed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ensureBuild,
  ensureModules,
  ensurePackages,
  ensureTestModules,
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

function main(args) {
  let counts = { passed: 0, failed: 1, skipped: 0 };
  try {
    requireNode();
    ensureModules();
    ensureTestModules();
    ensurePackages([...serverPackages(), ...testPackages]);
    ensureBuild();
    say("linting");
    const lintStatus = runModule(["@biomejs", "biome", "bin", "biome"], ["lint", "--error-on-warnings"]);
    say("testing");
    counts = runTests(args);
    if (lintStatus !== 0) {
      counts.failed += 1;
      say("the linter found problems; they are above the tests' output");
    }
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
  }
  process.exitCode = counts.failed === 0 ? 0 : 1;
  console.log(
    `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ""}`,
  );
}

if (realpathSync(process.argv[1]) === import.meta.filename) main(process.argv.slice(2));
