import { pathToFileURL } from "node:url";

/** A regular expression that a module made with `new RegExp` while it was loaded. */
export interface Constructed {
  /** The compiled module. */
  module: string;
  source: string;
  flags: string;
}

/**
 * Run as a program: loads the modules that its arguments name and prints, as JSON, what they construct meanwhile. In a
 * process of its own, since it puts itself between everything that is loaded and `RegExp`.
 */
const constructed: Constructed[] = [];
const record = (expression: RegExp): RegExp => {
  const caller = new Error().stack?.split("\n")[3] ?? "";
  constructed.push({ module: caller, source: expression.source, flags: expression.flags });
  return expression;
};
globalThis.RegExp = new Proxy(RegExp, {
  construct: (target, given, newTarget) => record(Reflect.construct(target, given, newTarget) as RegExp),
  apply: (target, self, given) => record(Reflect.apply(target, self, given) as RegExp),
});
const modules = process.argv.slice(2);
for (const module of modules) await import(pathToFileURL(module).href);
const own = modules.flatMap((module) =>
  constructed
    .filter((one) => one.module.includes(pathToFileURL(module).href))
    .map(({ source, flags }): Constructed => ({ module, source, flags })),
);
process.stdout.write(JSON.stringify(own), () => process.exit(0));
