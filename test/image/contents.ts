import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readRootPackage } from "../../cli/docs/dependencies-page.js";
import { root } from "../structure/sources.js";

/** Sizes of what lies in a folder, largest first, in MiB. */
export function sizesIn(folder: string): { name: string; mebibytes: number }[] {
  const lines = execFileSync("du", ["-sk", ...readdirSync(folder).map((name) => join(folder, name))], {
    encoding: "utf8",
  });
  return lines
    .trim()
    .split("\n")
    .map((line) => line.split("\t"))
    .map(([kibibytes, path = ""]) => ({ name: path.slice(folder.length + 1), mebibytes: Number(kibibytes) / 1024 }))
    .sort((a, b) => b.mebibytes - a.mebibytes);
}

/** What an image must not contain, and what it must; empty where all is well. */
export function contentProblems(app: string): string[] {
  const files = readdirSync(app, { recursive: true, encoding: "utf8" });
  const problems = files
    .filter((path) => !path.startsWith("node_modules/"))
    .filter((path) => /\.test\.js$|\/testing\/|^dist\/(test|bench)\/|\.tsbuildinfo$|^\.env/.test(path))
    .map((path) => `it contains ${path}`);
  const { devDependencies } = readRootPackage(root);
  const installed = new Set(
    files.filter((path) => /^node_modules\/(@[^/]+\/)?[^/@][^/]*$/.test(path)).map((path) => path.slice(13)),
  );
  for (const name of Object.keys(devDependencies).filter((name) => !sharedWithProduct.has(name)))
    if (installed.has(name)) problems.push(`it contains ${name}, which is for development`);
  const licences = readFileSync(join(app, "about/LICENCES.txt"), "utf8");
  for (const text of ["Apache License", "espeak-ng-emscripten", "GNU GENERAL PUBLIC LICENSE", "onnxruntime-node"])
    if (!licences.includes(text)) problems.push(`about/LICENCES.txt says nothing of ${text}`);
  const bill = JSON.parse(readFileSync(join(app, "about/sbom.cdx.json"), "utf8")) as { components: { name: string }[] };
  const listed = new Set(bill.components.map(({ name }) => name));
  for (const name of ["zod", "onnxruntime-node", "pg"]) if (!listed.has(name)) problems.push(`the SBOM lacks ${name}`);
  if (listed.has("vitest")) problems.push("the SBOM lists vitest, which is for development");
  return problems;
}

/** Listed for development, and needed by a package of the product too. */
const sharedWithProduct = new Set(["@grpc/grpc-js", "@types/node", "@types/pg", "ws"]);
