import { z } from "zod";
import { pageEnvelope } from "../paging.js";
import { recordText } from "../text.js";
import { configEntity } from "./config.js";
import { timestamp } from "./text.js";

/** Body of `POST /v1/agent/agents/{id}/publish`; may be absent. */
export const publishRequest = z.strictObject({
  version_title: recordText(0, 120).optional(),
  version_description: recordText(0, 2000).optional(),
});

/** A published version without its configuration. */
export const versionSummary = z.object({
  version_number: z.int(),
  version_title: z.string().nullable(),
  version_description: z.string().nullable(),
  config_hash: z.string(),
  published_at: timestamp,
});
export type VersionSummary = z.output<typeof versionSummary>;

/** A published version with the configuration that it froze. */
export const versionDetail = versionSummary.extend({ config: configEntity });
export type VersionDetail = z.output<typeof versionDetail>;

export const versionList = pageEnvelope.extend({ versions: z.array(versionSummary) });
