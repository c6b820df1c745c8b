import { declaration } from "#common/config/config";
import type { Setting, SettingShape } from "#common/config/setting";
import { readValuesSource, type SchemaNode } from "./values-source.js";

/**
 * Settings that are no business of `settings`: the chart gives them from other values or from Secrets, or only the
 * launcher reads them.
 */
const settingsOfOthers = new Set([
  ...["PORT", "HOST", "PARLEY_DATA_DIR", "PARLEY_METRICS_PORT", "PARLEY_PUBLIC_METRICS", "PARLEY_DRAIN_MS"],
  ...["NATS_URL", "REDIS_URL", "LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_PUBLIC_URL"],
  ...["PARLEY_LIVEKIT", "PARLEY_SCHEDULERS", "PARLEY_WORKERS", "PARLEY_AGENTS"],
  ...["PARLEY_WORKER_SLOTS", "PARLEY_WORKER_LIVE_SLOTS", "PARLEY_WORKER_MODELS", "PARLEY_MODELS", "PARLEY_PROVIDERS"],
]);

/** `helm/parley/values.schema.json`. */
export function valuesSchema(root: string): string {
  const schema = readValuesSource(root);
  const settings = Object.entries(declaration as Record<string, Setting<unknown>>)
    .filter(([name, setting]) => !setting.secret && !settingsOfOthers.has(name))
    .map(([name, setting]) => [name, { ...schemaOf(setting.shape), description: setting.doc }]);
  const { definitions, properties = {}, ...head } = schema;
  const whole: SchemaNode = {
    ...head,
    properties: { ...properties, settings: { ...properties.settings, properties: Object.fromEntries(settings) } },
    definitions,
  };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** YAML has types where the environment has text: numbers, `on` as true, lists and maps of their own. */
function schemaOf(shape: SettingShape): SchemaNode {
  if (shape.type === "integer") return { type: "integer", minimum: shape.min, maximum: shape.max };
  if (shape.type === "url") return { type: "string", pattern: `^(${shape.schemes.join("|")})://.+` };
  if (shape.type === "text") return { type: "string", minLength: 1 };
  if (shape.type === "list") return oneOfTypes({ type: "array", items: { type: "string", pattern: "^[^,]+$" } });
  if (shape.type === "map") return oneOfTypes({ type: "object", additionalProperties: { type: "string" } });
  const isSwitch = shape.values.includes("on");
  return { enum: [...shape.values, ...(isSwitch ? [true, false] : [])] };
}

const oneOfTypes = (structured: SchemaNode): SchemaNode => ({ anyOf: [{ type: "string", minLength: 1 }, structured] });
