import { setMaxListeners } from "node:events";
import { z } from "zod";
import {
  type CreditReply,
  controlSubjects,
  type ForwardedRequest,
  type ForwardedResponse,
  type KeyRevoked,
  type KeysReply,
  keyRevokedSubject,
  type Reply,
  type ResolveVoicesReply,
  type SnapshotReply,
  type TeamsReply,
  type TraceReply,
  type VerifyKeyReply,
  type VerifyKeyRequest,
} from "#protocol/bus/control";
import type { ConsoleSessionsReply } from "#protocol/bus/console-sessions";
import type { OpenRecordingReply } from "#protocol/bus/recording";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import type { SearchKnowledgeReply } from "#protocol/bus/conversation";
import { testRunsQueuedSubject } from "#protocol/bus/test-runs";
import type { SavedPrompt } from "#protocol/bus/voice-prompts";
import type { Bus, Subscription } from "#common/bus/bus";
import { type Cache, noCache } from "#common/cache/cache";
import { MinuteWindows } from "#common/cache/minute-windows";
import type { Clock } from "#common/clock";
import { FailureLog } from "#common/http/failure-log";
import { validate } from "#common/http/validation";
import type { Logger } from "#common/log";
import type { S3Client } from "#common/objects/s3-client";
import type { Outbound } from "#common/outbound/outbound";
import type { Sealer } from "#common/secrets/sealer";
import { administerConsoleSessions } from "./accounts/console-sessions.js";
import { DEVELOPMENT_TEAM_ID, seedDevelopment } from "./accounts/development.js";
import { purgeKey, purgeKeys } from "./accounts/forget-keys.js";
import { KeyLookups } from "./accounts/key-lookups.js";
import { keyRoutes } from "./accounts/key-routes.js";
import { administerKeys } from "./accounts/keys.js";
import { UsageSettlement } from "./accounts/settlement.js";
import { administerTeams } from "./accounts/teams.js";
import { verifyKey } from "./accounts/verify.js";
import { agentPlatformRoutes, attachables } from "./agent-platform.js";
import { answerTestRuns } from "./agent-tests/answer-runtimes.js";
import { activityRoutes, type SumUsage, usageRoutes } from "./analytics/routes.js";
import type { ReadTrace } from "./analytics/start.js";
import { traceRoutes } from "./analytics/trace-routes.js";
import { sumUsageInRecords } from "./analytics/usage-records.js";
import { seedSample } from "./agents/sample/seed-sample.js";
import type { Db } from "./database/database.js";
import { toServiceError } from "./database/failure.js";
import { answerForwarded } from "./http/answer.js";
import { claimed } from "./http/claimed-request.js";
import type { Route } from "./http/route.js";
import { Router } from "./http/router.js";
import { InFlight } from "./in-flight.js";
import { searchKnowledge } from "./knowledge/search.js";
import { administerCredit } from "./ledger/administer.js";
import { startBatchRetention } from "./agent-tests/retention.js";
import { defaultTestRunSettings, type TestRunSettings } from "./agent-tests/settings.js";
import { startHoldExpiry } from "./ledger/hold-expiry.js";
import type { PhoneContext } from "./phone/context.js";
import { type CallContext, type CallSettings, defaultCallSettings } from "./calls/context.js";
import type { PhoneLines } from "./calls/lines.js";
import { liveKitEventRoutes } from "./calls/livekit-events.js";
import { callRoutes } from "./calls/routes.js";
import { startCalls } from "./calls/start.js";
import { noPhoneServers, openPhones, type PhoneServers } from "./phone/configured.js";
import { startPhones } from "./phone/start.js";
import { reclaimPhones } from "./phone/sweep.js";
import { recordingFiles } from "./recordings/recording-files.js";
import { openRecording, recordingRoutes, type RecordingSettings } from "./recordings/routes.js";
import { startRecordings } from "./recordings/start.js";
import type { SessionContext, SessionSettings } from "./sessions/context.js";
import type { RoomServer } from "./sessions/rooms.js";
import { answerAnalyses } from "./sessions/analysis/answer-runtimes.js";
import { sessionRoutes } from "./sessions/routes.js";
import type { ModelFolders } from "./sessions/speech-capacity.js";
import { type FollowedRuntimes, followRuntimes, noRuntimes, startSessions } from "./sessions/start.js";
import { type SnapshotSources, takeSnapshot } from "./storage/snapshot.js";
import type { MeasureVoice } from "./voices/measurement.js";
import { voiceObjects } from "./voices/objects.js";
import { voicePrompt } from "./voices/prompt.js";
import { resolveVoices } from "./voices/resolve.js";
import { voiceRoutes } from "./voices/routes.js";
import type { TranscribeVoice } from "./voices/transcription.js";
import { walletRoutes } from "./wallet/routes.js";
import { reclaimDeliveries } from "./webhooks/delivery-book.js";
import { webhookRoutes } from "./webhooks/routes.js";
import { startWebhooks } from "./webhooks/start.js";
import { type ControlRequestKind, type ControlTelemetry, noTelemetry } from "./telemetry/control-telemetry.js";

/** Of several instances on one database, one answers each request. */
const QUEUE_GROUP = "control-plane";

/** How long before the end of a drain its longest requests are given up, so that whoever asked is still answered. */
const ANSWER_MARGIN_MS = 1000;

const traceRequest = z.object({ traceId: z.string().regex(/^[0-9a-f]{32}$/) });

const searchRequest = z.object({
  teamId: z.string(),
  sources: z.array(z.object({ sourceId: z.string(), revisionNumber: z.int() })),
  query: z.string(),
  limit: z.int().min(0).max(100),
});

/** What the settings say where nobody sets them. */
const defaultSessionSettings: SessionSettings = { joinMs: 60_000, visitorsPerAgent: 60, visitorsPerAddress: 10 };

const defaultRecordingSettings: RecordingSettings = { urlMs: 900_000, publicUrl: null, retentionMs: null };

export interface ServiceOptions {
  bus: Bus;
  /** Where recordings and the bytes of voices are kept; the bus's object store when absent. */
  s3?: S3Client | null;
  clock: Clock;
  db: Db;
  log: Logger;
  measure: MeasureVoice;
  /** Transcribes the samples of a voice. */
  transcribe: TranscribeVoice;
  /** The way out for requests whose address a user chose. */
  outbound: Outbound;
  /** Encrypts what is stored and never shown. */
  sealer: Sealer;
  /** Wall-clock time. */
  now: () => Date;
  /** The development key, or null for none. */
  developmentKey: string | null;
  /** Gives a new database a sample agent, whose pages the edge serves on `port`; none when absent. */
  sample?: { port: number } | null;
  /** Metrics and spans; none when absent. */
  telemetry?: ControlTelemetry;
  /** Answers `/v1/usage`; the booked records do when absent. */
  sumUsage?: SumUsage;
  /** Answers `/v1/traces` and `parley trace`; no trace is stored when absent. */
  readTrace?: ReadTrace;
  /** Where conversations are held; nowhere when absent. */
  rooms?: RoomServer | null;
  sessions?: SessionSettings;
  recordings?: RecordingSettings;
  /** Which model folders recognize and speak; those of the models' own names when absent. */
  modelFolders?: ModelFolders;
  /** Counts what callers without a key do, over all instances; each counts by itself when absent. */
  cache?: Pick<Cache, "count">;
  testRuns?: TestRunSettings;
  /** Who is behind phone numbers; nobody when absent. */
  phones?: PhoneServers;
  /** What calls may be made. */
  calls?: CallSettings;
  /** Where calls come in; nowhere when absent. */
  lines?: PhoneLines | null;
  /** Throws `disk_full` where nothing can be stored now. */
  requireRoom?: () => void;
  /** What a backup copies; nothing when absent. */
  snapshot?: SnapshotSources;
  /**
   * Whether nobody else can have the database open: then what a killed process left in the middle is taken up at once.
   */
  hasDatabaseAlone?: boolean;
}

/** The control plane on the bus. */
export interface ControlPlaneService {
  /**
   * Takes no more requests; resolves when those in flight are answered, all usage is settled and the webhooks under way
   * are sent. Tool tests, which may take minutes, are given up a second before `deadlineMs`.
   */
  drain(deadlineMs: number): Promise<void>;
  /** Gives up what `drain` did not finish. */
  stop(): void;
}

/** Seeds the development account, then answers every control subject and settles usage. */
export async function startService(options: ServiceOptions): Promise<ControlPlaneService> {
  const { bus, clock, db, log, now, outbound, sealer } = options;
  const replaced = await seedDevelopment(db, options.developmentKey, now(), (tx) => seedTeam(options, tx));
  const inFlight = new InFlight();
  const ending = new AbortController();
  // Each test under way listens, and node takes more than ten for a leak.
  setMaxListeners(0, ending.signal);
  const followed = followRuntimes({ bus, clock, log });
  const settlement = new UsageSettlement({ bus, db, log, now, consumer: "settlement", telemetry: options.telemetry });
  const subscriptions = answerRequests(options, inFlight, { ending: ending.signal, cluster: followed, settlement });
  if (options.hasDatabaseAlone === true) await Promise.all([reclaimDeliveries(db, now()), reclaimPhones(db, now())]);
  const expiry = startHoldExpiry({ db, bus, clock, log, now });
  const { retentionDays } = options.testRuns ?? defaultTestRunSettings;
  const batches = startBatchRetention({ db, clock, log, now, retentionDays });
  const webhooks = startWebhooks({ bus, clock, db, log, outbound, sealer, now });
  const sessions = startSessions({ ...{ followed, bus, clock, inFlight }, context: sessionContext(options, followed) });
  const { retentionMs } = options.recordings ?? defaultRecordingSettings;
  const recordings = startRecordings({
    ...{ bus, s3: options.s3 ?? null, clock, db, log, now, inFlight, retentionMs },
    telemetry: (options.telemetry ?? noTelemetry).recordings,
  });
  const phones = startPhones({ context: phoneContext(options), clock, inFlight });
  const { lines = null } = options;
  const calls = startCalls({ ...{ lines, clock, inFlight, bus }, context: callContext(options, followed) });
  if (replaced !== null) await purgeKey(bus, db, replaced);
  // Seeding may have given the team credit that edges do not know of.
  await purgeKeys(bus, db, [DEVELOPMENT_TEAM_ID]);
  // Once these resolve, the server has every subscription and keeps usage: a role that says it is ready answers.
  await Promise.all([settlement.ready, sessions.ready]);
  await bus.flush();
  return {
    async drain(deadlineMs) {
      for (const subscription of subscriptions) subscription.unsubscribe();
      expiry.stop();
      batches.stop();
      const keepWaiting = clock.after(Math.max(0, deadlineMs - ANSWER_MARGIN_MS), () => ending.abort());
      // Before webhooks: an end that is written now has its event sent.
      await sessions.drain();
      recordings.stop();
      phones.stop();
      calls.stop();
      await Promise.all([inFlight.idle(), settlement.drain(), webhooks.drain()]);
      keepWaiting();
    },
    stop() {
      expiry.stop();
      batches.stop();
      sessions.stop();
      recordings.stop();
      phones.stop();
      calls.stop();
      webhooks.stop();
    },
  };
}

async function seedTeam({ sample = null, outbound, sealer, now }: ServiceOptions, tx: Db): Promise<void> {
  if (sample === null) return;
  const draft = { db: tx, sealer, attachables, checkUrl: (url: string) => outbound.checkUrl(url), now };
  await seedSample({ ...draft, ...sample, teamId: DEVELOPMENT_TEAM_ID });
}

function sessionContext(options: ServiceOptions, { runtimes, served }: Cluster): SessionContext {
  const { bus, db, log, sealer, now, rooms = null, sessions = defaultSessionSettings, cache = noCache } = options;
  const { modelFolders = { PARLEY_MODEL_ALIASES: {}, PARLEY_MODEL_MAP: {} } } = options;
  const windows = new MinuteWindows({ cache, now });
  const cluster = { runtimes, served, modelFolders };
  return { db, bus, log, sealer, attachables, rooms, ...cluster, windows, settings: sessions, now };
}

function phoneContext(options: ServiceOptions): PhoneContext {
  const { db, bus, log, sealer, outbound, now, phones = noPhoneServers } = options;
  return openPhones({ db, bus, log, sealer, outbound, now }, phones);
}

function callContext(options: ServiceOptions, cluster: Cluster): CallContext {
  const settings = options.calls ?? defaultCallSettings;
  const { outbound } = options;
  return { sessions: sessionContext(options, cluster), phones: phoneContext(options), settings, outbound };
}

/** What requests are answered with, besides what the service is given. */
interface RouteParts {
  /** Fires when what takes minutes must be answered; never when absent. */
  ending?: AbortSignal;
  /** Nobody when absent. */
  cluster?: Cluster;
}

/** What requests are answered with where a service runs. */
interface ServiceParts extends RouteParts {
  settlement: UsageSettlement;
}

/** What conversations need of the cluster. */
type Cluster = Pick<FollowedRuntimes, "runtimes" | "served">;

/** Every route that edges forward requests to. */
export function controlRoutes(options: ServiceOptions, { ending, cluster }: RouteParts = {}): Route[] {
  const { bus, s3 = null, clock, db, log, measure, transcribe, now, outbound, sealer, sumUsage } = options;
  const { runtimes, served } = cluster ?? { runtimes: noRuntimes({ bus, log }), served: () => [] };
  return [
    ...voiceRoutes({ db, objects: voiceObjects({ bus, s3 }, log), measure, transcribe, now, bus }),
    ...walletRoutes(db),
    ...usageRoutes(sumUsage ?? ((query) => sumUsageInRecords(db, query)), now),
    ...activityRoutes({ db, bus, now }),
    ...traceRoutes(options.readTrace ?? readsNoTrace),
    ...keyRoutes({ db, bus, now }),
    ...agentPlatformRoutes({
      ...{ db, outbound, sealer, clock, now, ending, phones: phoneContext(options) },
      canRunTests: () => runtimes.anyIsReady,
      onTestRunsQueued: () => bus.publish(testRunsQueuedSubject, {}),
    }),
    ...sessionRoutes(sessionContext(options, { runtimes, served })),
    ...callRoutes(callContext(options, { runtimes, served })),
    ...liveKitEventRoutes({ lines: options.lines ?? null, bus }),
    ...recordingRoutes({ db, sealer, now, settings: options.recordings ?? defaultRecordingSettings }),
    ...webhookRoutes({ db, bus, sealer, now }),
  ];
}

function answerRequests(options: ServiceOptions, inFlight: InFlight, parts: ServiceParts): Subscription[] {
  const { bus, s3 = null, db, log, now, telemetry = noTelemetry } = options;
  const files = recordingFiles({ bus, s3 });
  const failures = new FailureLog(log, options.clock);
  const router = new Router(controlRoutes(options, parts));
  const lookups = new KeyLookups();
  const answer = <Q, T>(subject: string, work: (question: Q) => Promise<T>): Subscription => {
    const kind = kindOf(subject);
    const reply = (question: Q): Promise<Reply<T>> =>
      telemetry.reply(kind, question, () => toReply(failures, subject, () => work(question)));
    return bus.respond<Q, Reply<T>>(subject, (question) => inFlight.run(() => reply(question)), { queue: QUEUE_GROUP });
  };
  return [
    answer<VerifyKeyRequest, VerifyKeyReply>(controlSubjects.verifyKey, ({ keyDigest, isKnown }) =>
      lookups.run(isKnown, () => verifyKey(db, keyDigest, now())),
    ),
    answer<unknown, ResolveVoicesReply>(controlSubjects.resolveVoices, (question) => resolveVoices(db, question)),
    answer<unknown, SavedPrompt>(controlSubjects.voicePrompt, (question) =>
      voicePrompt({ db, objects: voiceObjects({ bus, s3 }, log), measure: options.measure }, question),
    ),
    answer<unknown, KeysReply>(controlSubjects.keys, async (question) => {
      const { reply, revokedDigest } = await administerKeys(db, question, now());
      if (revokedDigest !== null) await purgeKey(bus, db, revokedDigest);
      return reply;
    }),
    answer<unknown, TeamsReply>(controlSubjects.teams, async (question) => {
      const { reply, changedTeamId } = await administerTeams(db, question, now());
      if (changedTeamId !== null) await purgeKeys(bus, db, [changedTeamId]);
      return reply;
    }),
    answer<unknown, CreditReply>(controlSubjects.credit, async (question) => {
      const { reply, changedTeamId } = await administerCredit(db, question, now());
      if (changedTeamId !== null) await purgeKeys(bus, db, [changedTeamId]);
      return reply;
    }),
    answer<unknown, TraceReply>(controlSubjects.trace, async (question) => {
      const { traceId } = validate(traceRequest, question);
      return { spans: await (options.readTrace ?? readsNoTrace)(traceId) };
    }),
    answer<unknown, SearchKnowledgeReply>(controlSubjects.searchKnowledge, async (question) => ({
      passages: await searchKnowledge(db, validate(searchRequest, question)),
    })),
    answer<unknown, ConsoleSessionsReply>(controlSubjects.consoleSessions, async (question) => {
      const { reply, closedDigest } = await administerConsoleSessions(db, question, now());
      if (closedDigest !== null) bus.publish(keyRevokedSubject, { keyDigest: closedDigest } satisfies KeyRevoked);
      return reply;
    }),
    answer<unknown, OpenRecordingReply>(controlSubjects.openRecording, (question) =>
      openRecording({ ...options, files }, question),
    ),
    answer<unknown, SnapshotReply>(controlSubjects.snapshot, (question) =>
      takeSnapshot(options.snapshot ?? noSnapshot, (withinMs) => parts.settlement.caughtUp(withinMs), question),
    ),
    ...answerTestRuns({ db, bus, now, concurrency: (options.testRuns ?? defaultTestRunSettings).concurrency }, answer),
    ...answerAnalyses({ db, bus, log, now, sealer: options.sealer }, answer),
    bus.respond<ForwardedRequest, ForwardedResponse>(
      controlSubjects.http,
      (request) =>
        inFlight.run(() =>
          claimed(options, request, () =>
            telemetry.forwarded(request, router.patternOf(request), () =>
              answerForwarded(router, bus, log, failures, request, options.requireRoom),
            ),
          ),
        ),
      { queue: QUEUE_GROUP },
    ),
  ];
}

const noSnapshot: SnapshotSources = { copyDatabase: null, dataDirectory: "", hasObjectStore: false };

const readsNoTrace: ReadTrace = () => Promise.reject(new ServiceError("traces_not_stored"));

/** What metrics call a subject: its last word. */
function kindOf(subject: string): ControlRequestKind {
  return subject.slice(subject.lastIndexOf(".") + 1) as ControlRequestKind;
}

async function toReply<T>(failures: FailureLog, subject: string, work: () => Promise<T>): Promise<Reply<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    const known = toServiceError(error);
    failures.note(known, { subject });
    return { ok: false, error: toErrorRecord(known) };
  }
}
