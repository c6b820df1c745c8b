import type { SessionDetail } from "#protocol/agents/session";
import { wavFile } from "#audio/testing/wav-file";
import { watchOthers } from "../machine.js";
import type { ConversationsScenario } from "../scenarios.js";
import { type PartSeconds, subtractParts } from "../slow-parts.js";
import { objections } from "../validity.js";
import { holdConversations } from "./callers.js";
import { recordedClips, spokenClips } from "./clips.js";
import {
  aims,
  type ConversationFigures,
  conversationFigures,
  type InterjectionFigures,
  interjectionFigures,
  mostThatHold,
  ownTurns,
  peerRatios,
} from "./figures.js";
import type { CallersReport, CallerTask, Clip, InterjectionReport, QuestionReport, Step } from "./messages.js";
import { findAgentsPeer } from "./peer/installed.js";
import { startAgentsPeer } from "./peer/peer.js";
import { audibleSpanMs } from "./received-audio.js";
import { answers, backchannels, conversationSteps, interruptions, questions, takingTurns } from "./script.js";
import { isOver, type Service, startService } from "./service.js";
import { equalWords } from "./words.js";

/** One number of conversations at once. */
export interface CountRun extends ConversationFigures {
  who: string;
  wallSeconds: number;
  parts: PartSeconds;
  callers: { processorShare: number; lagP99Ms: number; lagMaxMs: number };
  problems: string[];
  invalid: string[];
}

export interface ConversationsFigures {
  runs: CountRun[];
  peers: CountRun[];
  ratios: ReturnType<typeof peerRatios>;
  interjections: InterjectionFigures | null;
  mostThatHold: number | null;
  peerVersions: Record<string, string>;
}

/** What can be said, and which clips are which. */
interface Script {
  clips: Clip[];
  questionClips: number[];
  interruptionClips: number[];
  backchannelClips: number[];
  /** How long each answer lasts where nothing disturbs it, by its text. */
  aloneMs: Map<string, number>;
}

/** What the service itself has written of conversations: their turns, and why some of them failed. */
interface OwnRecords {
  turns: Parameters<typeof conversationFigures>[1];
  failures: string[];
}

const noRecords: OwnRecords = { turns: [], failures: [] };

const RATE = 16_000;
/** Said before anything is measured. */
const warmUp = { questions: 2, leastQuestions: 0, interruptions: 1, leastInterruptions: 0 };
/** Conversations begin within this time, so that not all callers speak at once. */
const SPREAD_MS = 4000;
/** How much of the first answer's words must be recognized in what the caller received. */
const LEAST_EQUAL = 0.8;

/** Measures conversations at once, and the peer beside them. */
export async function runConversations(
  scenario: ConversationsScenario,
  report: (run: CountRun) => void,
): Promise<{ figures: ConversationsFigures; invalid: string[] }> {
  const clips = await prepareClips(scenario);
  const service = await startService(scenario.workers);
  try {
    const script = { ...clips, aloneMs: await answersAlone(service) };
    const runs: CountRun[] = [];
    await measure(service, script, { ...scenario, ...warmUp }, 1);
    for (const count of scenario.counts) {
      runs.push(await measure(service, script, scenario, count));
      report(runs.at(-1) as CountRun);
    }
    const interjections = await measureInterjections(service, script, scenario);
    const peers = scenario.hasPeer ? await measurePeer(service, script, scenario, report) : { runs: [], versions: {} };
    const figures = {
      runs,
      peers: peers.runs,
      ratios: peerRatios(runs, peers.runs),
      interjections,
      mostThatHold: mostThatHold(runs),
      peerVersions: peers.versions,
    };
    const invalid = [...runs, ...peers.runs].flatMap((run) =>
      run.invalid.map((reason) => `${run.who}, ${run.conversations}: ${reason}`),
    );
    return { figures, invalid };
  } finally {
    await service.stop();
  }
}

async function prepareClips({ interjections }: ConversationsScenario): Promise<Omit<Script, "aloneMs">> {
  const times = <Text>(texts: readonly Text[], count: number): Text[] => {
    const next = takingTurns(texts.length);
    return Array.from({ length: count }, () => texts[next.next().value] as Text);
  };
  const asked = questions.flatMap(({ text }) => [text, text]);
  const [backchannelTexts, interruptionTexts] = [
    times(backchannels, interjections),
    times(interruptions, interjections),
  ];
  const [recorded, spoken] = [
    await recordedClips(),
    await spokenClips([...asked, ...interruptionTexts, ...backchannelTexts]),
  ];
  const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);
  const questionCount = recorded.length + asked.length;
  return {
    clips: [...recorded, ...spoken],
    questionClips: numbers(0, questionCount),
    interruptionClips: numbers(questionCount, interjections),
    backchannelClips: numbers(questionCount + interjections, interjections),
  };
}

async function answersAlone(service: Service): Promise<Map<string, number>> {
  const alone = new Map<string, number>();
  for (const text of answers) alone.set(text, audibleSpanMs(await service.speak(text), RATE));
  return alone;
}

/** So many conversations of ours at once, and what became of them. */
async function measure(
  service: Service,
  script: Script,
  scenario: ConversationsScenario,
  count: number,
): Promise<CountRun> {
  const steps = conversationSteps(count, script, {
    questions: Math.max(scenario.questions, Math.ceil(scenario.leastQuestions / count)),
    interruptions: Math.max(scenario.interruptions, Math.ceil(scenario.leastInterruptions / count)),
  });
  const sessionIds: string[] = [];
  const callers: CallerTask[] = [];
  for (const [at, wanted] of steps.entries()) {
    const { session_id: sessionId, livekit_url: url, token } = await service.createSession();
    sessionIds.push(sessionId);
    callers.push({ url, token, startAfterMs: (at * SPREAD_MS) / count, steps: wanted });
  }
  const run = await hold(service, script, { who: "Parley", callers, seed: scenario.seed + count }, async () => {
    const sessions = await Promise.all(sessionIds.map((sessionId) => service.endedSession(sessionId)));
    return { turns: sessions.flatMap(ownTurns), failures: sessions.flatMap(failureOf) };
  });
  return run.run;
}

function failureOf(session: SessionDetail): string[] {
  if (!isOver(session)) return [`a session was still ${session.status} long after its caller had left`];
  return session.status === "failed" ? [`a session failed: ${session.ended_reason}`] : [];
}

/** Lets callers speak, and reads what the machine did meanwhile. */
async function hold(
  service: Service,
  script: Script,
  given: { who: string; callers: readonly CallerTask[]; seed: number },
  own: () => Promise<OwnRecords>,
): Promise<{ run: CountRun; report: CallersReport }> {
  const [others, before, startMs] = [watchOthers(), service.parts(), performance.now()];
  const { clips, aloneMs } = script;
  const { report, end } = await holdConversations({ clips, callers: given.callers, seed: given.seed });
  const parts = subtractParts(service.parts(), before);
  const wallSeconds = (performance.now() - startMs) / 1000;
  const load = others.read();
  await end();
  const { turns, failures } = await own();
  const problems = [...report.callers.flatMap(({ problem }) => problem ?? []), ...failures];
  const wrong = await wrongAnswer(service, report);
  if (wrong !== null) problems.push(wrong);
  const alone = (question: QuestionReport): number | null => aloneMs.get(question.answer.trim()) ?? null;
  const { processorShare, lagP99Ms, lagMaxMs } = report;
  const run = {
    who: given.who,
    ...conversationFigures(report, turns, alone, (clip) => clips[clip]?.name ?? ""),
    wallSeconds,
    parts,
    callers: { processorShare, lagP99Ms, lagMaxMs },
    problems,
    invalid: objections({ load, generatorLagP99Ms: lagP99Ms, judgedMs: aims.silentP95, errors: problems.length }),
  };
  return { run, report };
}

/** Why the first answer is not what the model wrote; null when it is. */
async function wrongAnswer(service: Service, { callers, firstAnswer }: CallersReport): Promise<string | null> {
  const first = callers[0]?.steps[0];
  // One without an answer is counted as such.
  if (first?.type !== "question" || firstAnswer === "") return null;
  const bytes = Buffer.from(firstAnswer, "base64");
  const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const wav = wavFile({ sampleRate: RATE, channels: 1, bits: 16 }, samples.length, (at) => (samples[at] ?? 0) / 32768);
  const words = await service.recognize(wav);
  return equalWords(words, first.answer) >= LEAST_EQUAL ? null : `"${first.answer}" was received as "${words}"`;
}

async function measureInterjections(
  service: Service,
  script: Script,
  { interjections, interjectingCallers, seed }: ConversationsScenario,
): Promise<InterjectionFigures | null> {
  if (interjections === 0) return null;
  const { backchannelClips, interruptionClips } = script;
  const all: Step[] = [
    ...backchannelClips.map((clip): Step => ({ type: "backchannel", clip })),
    ...interruptionClips.map((clip): Step => ({ type: "interruption", clip })),
  ];
  const callers: CallerTask[] = [];
  for (let at = 0; at < interjectingCallers; at++) {
    const { livekit_url: url, token } = await service.createSession();
    const steps = all.filter((_, number) => number % interjectingCallers === at);
    callers.push({ url, token, startAfterMs: (at * SPREAD_MS) / interjectingCallers, steps });
  }
  const { report } = await hold(service, script, { who: "Parley", callers, seed }, async () => noRecords);
  const reports = report.callers
    .flatMap(({ steps }) => steps)
    .filter((step): step is InterjectionReport => step.type !== "question");
  return interjectionFigures(reports, (clip) => script.clips[clip]?.name ?? "");
}

async function measurePeer(
  service: Service,
  script: Script,
  scenario: ConversationsScenario,
  report: (run: CountRun) => void,
): Promise<{ runs: CountRun[]; versions: Record<string, string> }> {
  const found = findAgentsPeer();
  if ("missing" in found) throw new RangeError(found.missing);
  const peer = await startAgentsPeer(found, service);
  const runs: CountRun[] = [];
  try {
    for (const count of [1, ...scenario.peerCounts]) {
      const isWarmUp = runs.length === 0;
      const asked = isWarmUp ? 2 : Math.max(scenario.questions, Math.ceil(scenario.leastQuestions / count));
      const steps = conversationSteps(count, script, { questions: asked, interruptions: 0 });
      const callers: CallerTask[] = [];
      for (const [at, wanted] of steps.entries())
        callers.push({ ...(await peer.createRoom()), startAfterMs: (at * SPREAD_MS) / count, steps: wanted });
      const given = { who: "@livekit/agents", callers, seed: scenario.seed + count };
      const { run } = await hold(service, script, given, async () => noRecords);
      runs.push(run);
      if (!isWarmUp) report(run);
    }
  } finally {
    await peer.stop();
  }
  return { runs: runs.slice(1), versions: found.versions };
}
