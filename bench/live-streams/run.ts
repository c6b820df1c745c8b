import { startCluster, type TestCluster } from "#test/harness/cluster";
import { readFirstAudio } from "../edge-log.js";
import { watchOthers } from "../machine.js";
import type { LiveStreamsScenario } from "../scenarios.js";
import { type PartSeconds, readParts, subtractParts } from "../slow-parts.js";
import { type Spread, spread } from "../statistics.js";
import { objections } from "../validity.js";
import { generateLoad } from "./generator.js";
import { type Recognized, STORE_MS, type StreamReport } from "./messages.js";
import { nextCount } from "./search.js";
import { texts } from "./texts.js";

/**
 * Gaps that the text itself makes, when it comes slower than it is spoken, vary by this much, and by a word: it may
 * fall to either side.
 */
const GAP_TOLERANCE_MS = 25;

/** Sockets are open and started this long before their text is due. */
const HEAD_START_MS = 500;

/** One number of streams. */
export interface LoadRun {
  streams: number;
  failed: number;
  problems: string[];
  /** Streams with more silence than the same text has when nothing else runs; by the player's store. */
  late: { plain: number; stored: number };
  lateMs: { plain: number; stored: number };
  /** Gaps in all, those of the text's own slowness included. */
  underruns: { plain: number; stored: number };
  /** From the first text's intended time to the first audible sample. */
  firstAudioMs: Spread;
  /** From the text that made the first chunk to its bytes, in the edge. */
  edgeFirstAudioMs: Spread;
  queueMs: Spread;
  audioSeconds: number;
  wallSeconds: number;
  parts: PartSeconds;
  generator: { processorShare: number; lagP99Ms: number; lagMaxMs: number };
  invalid: string[];
}

export interface LiveStreamsFigures {
  runs: LoadRun[];
  /**
   * Most streams that ran without a gap (100 ms stored, no failure), and fewest that did not; null where none was
   * found.
   */
  mostWithoutGap: number | null;
  fewestWithGap: number | null;
}

/** Gaps of each text when it is alone, by its number. */
type OwnGaps = Map<number, { plain: Recognized; stored: Recognized }>;

/** What a search asks of a cluster: a scenario, whatever the cluster is. */
export type SearchedStreams = Omit<LiveStreamsScenario, "kind" | "name" | "workers"> & { isUrgent: boolean };

/** Finds the number of streams at which the first player hears a gap. */
export async function runLiveStreams(
  scenario: LiveStreamsScenario,
  report: (run: LoadRun) => void,
): Promise<{ figures: LiveStreamsFigures; invalid: string[] }> {
  const cluster = await startCluster({ workers: scenario.workers, settings: { LOG_LEVEL: "debug" } });
  try {
    const figures = await searchStreams(cluster, { ...scenario, isUrgent: false }, report);
    // What fails beyond the most that go well is the cluster's matter, and the generator shares its cores.
    const invalid = figures.runs
      .filter(({ streams }) => streams <= (figures.mostWithoutGap ?? Number.POSITIVE_INFINITY))
      .flatMap((run) => run.invalid.map((reason) => `${run.streams} streams: ${reason}`));
    return { figures, invalid };
  } finally {
    await cluster.stop();
  }
}

/** The same in a cluster that is there, whose roles must log at level `debug`. */
export async function searchStreams(
  cluster: TestCluster,
  scenario: SearchedStreams,
  report: (run: LoadRun) => void,
): Promise<LiveStreamsFigures> {
  const alone = await speak(cluster, scenario, texts.length, null);
  const own = gapsOf(alone.reports);
  report(alone.run);
  const runs: LoadRun[] = [alone.run];
  const outcomes: { streams: number; clean: boolean }[] = [];
  for (let count = nextCount(outcomes, scenario); count !== null; count = nextCount(outcomes, scenario)) {
    const { run } = await speak(cluster, scenario, count, own);
    runs.push(run);
    report(run);
    outcomes.push({ streams: count, clean: run.failed === 0 && run.late.stored === 0 });
  }
  const counts = (clean: boolean): number[] =>
    outcomes.filter((outcome) => outcome.clean === clean).map((outcome) => outcome.streams);
  return { runs, mostWithoutGap: most(counts(true)), fewestWithGap: fewest(counts(false)) };
}

/** Runs one number of streams; without a baseline the run is its own. */
async function speak(
  cluster: TestCluster,
  scenario: SearchedStreams,
  streams: number,
  baseline: OwnGaps | null,
): Promise<{ run: LoadRun; reports: StreamReport[] }> {
  const linesBefore = readFirstAudio(cluster.dataDirectory).length;
  const [others, partsBefore] = [watchOthers(), readParts(cluster)];
  const { format, sampleRate, wordsPerSecond, rampMs, seed, isUrgent } = scenario;
  const { baseUrl, apiKey } = cluster;
  const report = await generateLoad({
    baseUrl,
    apiKey,
    audio: { format, sampleRate },
    streams,
    wordsPerSecond,
    rampMs,
    seed,
    headStartMs: HEAD_START_MS,
    isUrgent,
  });
  const parts = subtractParts(readParts(cluster), partsBefore);
  const { lagP99Ms, lagMaxMs, processorShare } = report;
  const lines = readFirstAudio(cluster.dataDirectory).slice(linesBefore);
  const own = baseline ?? gapsOf(report.streams);
  const good = report.streams.filter((stream) => stream.problem === null);
  const problems = report.streams.flatMap(({ problem }) => (problem === null ? [] : [problem]));
  const lateness = good.map(({ text, plain, stored }) => ({
    plain: tooLate(plain, own.get(text)?.plain, wordsPerSecond),
    stored: tooLate(stored, own.get(text)?.stored, wordsPerSecond),
  }));
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  const run: LoadRun = {
    streams,
    failed: problems.length,
    problems: [...new Set(problems)],
    late: {
      plain: lateness.filter(({ plain }) => plain > 0).length,
      stored: lateness.filter(({ stored }) => stored > 0).length,
    },
    lateMs: { plain: sum(lateness.map(({ plain }) => plain)), stored: sum(lateness.map(({ stored }) => stored)) },
    underruns: {
      plain: sum(good.map(({ plain }) => plain.underruns)),
      stored: sum(good.map(({ stored }) => stored.underruns)),
    },
    firstAudioMs: spread(good.map((stream) => stream.firstAudioMs)),
    edgeFirstAudioMs: spread(lines.map((line) => line.totalMs)),
    queueMs: spread(lines.map((line) => line.queueMs)),
    audioSeconds: sum(good.map((stream) => stream.audioMs)) / 1000,
    wallSeconds: report.wallMs / 1000,
    parts,
    generator: { processorShare, lagP99Ms, lagMaxMs },
    invalid: objections({
      load: others.read(),
      generatorLagP99Ms: lagP99Ms,
      judgedMs: STORE_MS,
      errors: problems.length,
    }),
  };
  return { run, reports: report.streams };
}

function gapsOf(reports: StreamReport[]): OwnGaps {
  return new Map(reports.map((report) => [report.text, report]));
}

/** Silence beyond the text's own. */
function tooLate(
  received: Recognized,
  own: Recognized = { underruns: 0, stalledMs: 0 },
  wordsPerSecond: number | null,
): number {
  const extraMs = received.stalledMs - own.stalledMs;
  const wordMs = wordsPerSecond === null ? 0 : 1000 / wordsPerSecond;
  const toleratedMs = (GAP_TOLERANCE_MS + wordMs) * own.underruns;
  return extraMs > toleratedMs ? extraMs : 0;
}

function most(values: number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}

function fewest(values: number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}

/** What the stored player's column means, for the report. */
export const storeTitle = `${STORE_MS} ms`;
