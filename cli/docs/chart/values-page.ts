import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { generatedNote, markdownTable } from "../markdown.js";
import { readValuesSource, type SchemaNode } from "./values-source.js";

/** `helm/parley/README.md`: every value with its default and its meaning. */
export function valuesPage(root: string): string {
  const { properties = {}, definitions } = readValuesSource(root);
  const defaults = parse(readFileSync(join(root, "helm/parley/values.yaml"), "utf8")) as Record<string, unknown>;
  const sections = Object.entries(properties).map(([name, schema]) => {
    const rows = rowsOf(name, schema, defaults[name], definitions);
    return [`## ${name}`, "", ...introductionOf(schema), ...(rows.length === 0 ? [] : [valueTable(rows), ""])];
  });
  return [
    "# Parley's chart",
    "",
    generatedNote("helm/parley/schema.yaml and helm/parley/values.yaml"),
    "",
    "`helm install parley helm/parley` starts everything; [kubernetes.md](../../docs/kubernetes.md) says what it starts, and how it is run. Examples:",
    "`values-dev.yaml` for a laptop, `values-production.yaml`, `values-gpu.yaml`. A value that is not listed here, or is of another kind, is refused.",
    "",
    ...sections.flat(),
  ].join("\n");
}

const introductionOf = ({ description, properties, items }: SchemaNode): string[] =>
  description === undefined || (properties === undefined && items === undefined) ? [] : [description, ""];

type Row = readonly [path: string, defaultText: string, description: string];

const valueTable = (rows: readonly Row[]): string => markdownTable(["Value", "Default", "Meaning"], rows);

/** The value itself where it is a leaf, else what lies below it. A value that has no default is one that may be given. */
function rowsOf(path: string, given: SchemaNode, value: unknown, definitions: Record<string, SchemaNode>): Row[] {
  const { $ref, description } = given;
  const schema = $ref === undefined ? given : (definitions[$ref.replace("#/definitions/", "")] ?? given);
  if (schema.properties === undefined || $ref === "#/definitions/resources") {
    const defaultText = value === undefined ? "" : `\`${JSON.stringify(value)}\``;
    return [[`\`${path}\``, defaultText, meaningOf(description ?? schema.description, path)]];
  }
  const fields = value as Record<string, unknown> | undefined;
  return Object.entries(schema.properties)
    .filter(([name]) => fields === undefined || Object.hasOwn(fields, name) || !isDefaultsOfPools(path))
    .flatMap(([name, property]) => rowsOf(`${path}.${name}`, property, fields?.[name], definitions));
}

/** Of a pool's properties those are listed that it has defaults for: all of them stand under `workerDefaults`. */
const isDefaultsOfPools = (path: string): boolean => path.startsWith("gpuWorkerDefaults");

function meaningOf(description: string | undefined, path: string): string {
  if (description !== undefined) return description;
  if (path.endsWith(".resources")) return "Requests and limits.";
  throw new Error(`helm/parley/schema.yaml: ${path} has no description`);
}
