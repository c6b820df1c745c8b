import { z } from "zod";

/** What an inspection of model folders looks at: the one argument of `workers/inspection/main.js`, as JSON. */
export const inspectionRequest = z.strictObject({
  /** Folders of model folders, or model folders themselves; of two models with one name the first counts. */
  roots: z.array(z.string()),
  /** Whether the models that come with Parley are looked at too, after the roots. */
  embedded: z.boolean(),
  /** Names of the models to look at, all when empty. */
  only: z.array(z.string()),
  /** Whether each is loaded as a worker would and tried once. */
  load: z.boolean(),
  /** Execution providers in the order of preference, for loading. */
  providers: z.array(z.string()),
});

export type InspectionRequest = z.infer<typeof inspectionRequest>;

/** What a loaded model did with one test input. */
const modelTrial = z.strictObject({
  provider: z.string(),
  sampleRate: z.number(),
  speakers: z.array(z.string()),
  /** What the model itself says it knows. */
  languages: z.array(z.string()),
  /** Milliseconds until it was ready for the first piece. */
  loadMs: z.number(),
  /** Seconds of audio that were made or recognized. */
  audioSeconds: z.number(),
  /** Computing time by the length of the audio: below 1 is faster than listening. */
  realTimeFactor: z.number(),
  /** What was said to it or recognized by it, for people. */
  outcome: z.string(),
});

export type ModelTrial = z.infer<typeof modelTrial>;

/** One model folder, a line of JSON on the inspection's standard output. */
export const modelReport = z.strictObject({
  name: z.string(),
  folder: z.string(),
  /** What follows is null or empty where the folder's description cannot be read. */
  task: z.string().nullable(),
  engine: z.string().nullable(),
  languages: z.array(z.string()),
  licence: z.string().nullable(),
  /** Size of all files in the folder. */
  bytes: z.number(),
  /** True for a model that comes with Parley. */
  embedded: z.boolean(),
  /** Why it cannot be served; null where nothing is known against it. */
  problem: z.string().nullable(),
  /** Null where it was not loaded. */
  trial: modelTrial.nullable(),
});

export type ModelReport = z.infer<typeof modelReport>;
