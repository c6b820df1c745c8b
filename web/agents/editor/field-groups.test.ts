import { expect, it } from "vitest";
import { z } from "zod";
import { configPatch } from "#protocol/agents/config-patch";
import { fieldGroups, fieldOf } from "./field-groups.js";

interface Schema {
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
}

/** The paths of a schema's leaves; a list is one, and so is what may be null. */
function leavesOf(schema: Schema, path: string[] = []): string[][] {
  if (schema.properties === undefined) return [path];
  return Object.entries(schema.properties).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

const leaves = leavesOf(z.toJSONSchema(configPatch, { io: "input", unrepresentable: "any" }) as Schema);

it("has a field for everything that the server lets be configured", () => {
  expect(leaves.length).toBeGreaterThan(30);
  expect(leaves.filter((path) => fieldOf(path) === undefined)).toEqual([]);
});

it("has no field for what the server does not know", () => {
  const fields = fieldGroups.flatMap((group) => group.fields);
  const unknown = fields.filter(({ path }) => !leaves.some((leaf) => path.every((name, at) => leaf[at] === name)));
  expect(unknown).toEqual([]);
  expect(new Set(fields.map(({ path }) => path.join("."))).size).toBe(fields.length);
});

it("helps with every field, each by a name of its own", () => {
  for (const { title, fields } of fieldGroups) {
    expect([title, new Set(fields.map(({ label }) => label)).size]).toEqual([title, fields.length]);
    for (const { label, help } of fields) expect([label, help.length > 10]).toEqual([label, true]);
  }
});
