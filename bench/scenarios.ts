import { type BurstScenario, burst } from "./burst/scenario.js";
import { type FairnessScenario, fairness } from "./fairness/scenario.js";
import { type GoodputScenario, goodput } from "./goodput/scenario.js";
import { type ProfileScenario, profile } from "./profile/scenario.js";
import { type MemoryScenario, memory } from "./memory/scenario.js";
import { type NatsClusterScenario, natsCluster } from "./nats-cluster/scenario.js";
import { type ScaleOutScenario, scaleOut } from "./scale-out/scenario.js";
import { type SpeechPeersScenario, speechPeers } from "./peers/speech/scenario.js";
import { type SimulatedLoadScenario, simulatedLoad } from "./simulated-load/scenario.js";
import { type SocketsScenario, sockets } from "./sockets/scenario.js";

/** How long one short clause takes to the ear, through the whole cluster and from the same engine alone. */
export interface FirstAudioScenario {
  kind: "first-audio";
  name: string;
  format: "pcm" | "mp3";
  sampleRate: number;
  /**
   * `warm`: the socket is open and started when the text is sent. `cold`: time runs from the first packet of the
   * connection.
   */
  socket: "warm" | "cold";
  /** Another form in which the cluster speaks in turns with this one; null for none. */
  beside: { format: "pcm" | "mp3"; sampleRate: number } | null;
  text: string;
  /** Cluster and engine take turns this often. */
  rounds: number;
  /** Measurements of each in one round. */
  perRound: number;
  workers: number;
}

/** How much later a clause is heard while files are transcribed. */
export interface BesideUploadsScenario {
  kind: "beside-uploads";
  name: string;
  format: "pcm";
  sampleRate: number;
  socket: "warm";
  text: string;
  /** Alone and beside uploads take turns this often. */
  rounds: number;
  /** Clauses of each in one round. */
  perRound: number;
  /** Uploads at once. */
  uploads: number;
  files: number;
  shortestSeconds: number;
  longestSeconds: number;
  seed: number;
  workers: number;
}

/** How many streams are spoken at once before the first player hears a gap. */
export interface LiveStreamsScenario {
  kind: "live-streams";
  name: string;
  format: "pcm" | "mp3";
  sampleRate: number;
  /** Words of text per second, as a language model writes them; null sends the whole text at once. */
  wordsPerSecond: number | null;
  /** Streams of the first run; the next ones are found by doubling, then by halving the gap. */
  firstStreams: number;
  mostStreams: number;
  mostRuns: number;
  /** Streams start at random times (Poisson) within this time. */
  rampMs: number;
  seed: number;
  workers: number;
}

/** How long healthy receivers of webhooks wait while others hang. */
export interface WebhooksScenario {
  kind: "webhooks";
  name: string;
  database: "pglite" | "postgres";
  /** One endpoint of each agent never answers. */
  agents: number;
  endpointsPerAgent: number;
  deliveriesPerSecond: number;
  durationMs: number;
}

/** How fast the parts of a recognizer are in process: features, graph, word search. */
export interface RecognizerPartsScenario {
  kind: "recognizer-parts";
  name: string;
  /** Name of an embedded model. */
  model: string;
  rounds: number;
}

/** How fast files are transcribed, beside the recognizer called in a loop on the same cores. */
export interface TranscriptionScenario {
  kind: "transcription";
  name: string;
  files: number;
  shortestSeconds: number;
  longestSeconds: number;
  seed: number;
  /** Requests at once. */
  concurrency: number;
  rounds: number;
  /** Worker processes of one slot; the loop has as many threads. */
  workers: number;
}

/** How much later the first byte comes through a compatibility layer than through the native route. */
export interface CompatOverheadScenario {
  kind: "compat-overhead";
  name: string;
  text: string;
  rounds: number;
  /** Requests of each way in one round. */
  perRound: number;
}

/** How fast the voice speaks beside other programs that speak with the same file. */
export interface VoicePeersScenario {
  kind: "voice-peers";
  name: string;
  /** Sentences whose real-time factor is measured in each round. */
  sentences: number;
  /** Text whose first audio is measured, and how often in one round. */
  clause: string;
  clausesPerRound: number;
  rounds: number;
}

/** How fast files are transcribed beside sherpa-onnx's own server with the same file. */
export interface TranscriptionPeersScenario {
  kind: "transcription-peers";
  name: string;
  /** The recordings, the requests at once and the workers. */
  recordings: TranscriptionScenario;
  rounds: number;
  /**
   * Files that sherpa-onnx's server may hear in one call; more are padded to the longest, and its own 5 cost it twice
   * the processor time here.
   */
  sherpaBatch: number;
}

/** How fast the recognizer that comes with Parley is beside others that recognize English, and how much each gets wrong. */
export interface RecognitionPeersScenario {
  kind: "recognition-peers";
  name: string;
  rounds: number;
}

/** How many small requests in a second the edge's engine answers, and another behind the same interface. */
export interface HttpEnginesRequestsScenario {
  kind: "http-engines-requests";
  name: string;
  /** Each asks again as soon as it is answered. */
  connections: number;
  /** The engines take turns this often, with each kind of request. */
  rounds: number;
  warmUpMs: number;
  durationMs: number;
}

/** What live audio over WebSockets costs the edge's engine and another, and how late it comes. */
export interface HttpEnginesStreamsScenario {
  kind: "http-engines-streams";
  name: string;
  /** WebSockets at once, measured one number after the other. */
  sockets: readonly number[];
  rounds: number;
  /** Frames of 43 ms for each socket. */
  frames: number;
  warmUpFrames: number;
}

/** How much memory an idle WebSocket takes in the edge's engine and in another. */
export interface HttpEnginesIdleScenario {
  kind: "http-engines-idle-sockets";
  name: string;
  sockets: number;
  /** Open before, and not counted. */
  warmUpSockets: number;
  rounds: number;
}

/** How soon agents answer callers who talk to them at once, beside another framework's agents. */
export interface ConversationsScenario {
  kind: "conversations";
  name: string;
  /** Conversations at once, one number after the other. */
  counts: readonly number[];
  /** Questions and interruptions of each caller; more where all callers together would have fewer than the least. */
  questions: number;
  leastQuestions: number;
  interruptions: number;
  leastInterruptions: number;
  /** Backchannels, and as many interruptions, that so many callers say into stories; 0 leaves them out. */
  interjections: number;
  interjectingCallers: number;
  hasPeer: boolean;
  peerCounts: readonly number[];
  seed: number;
  workers: number;
}

/** How many requests routes of the edge answer, beside a trivial one of Fastify's. */
export interface HttpRoutesScenario {
  kind: "http-routes";
  name: string;
  /** Connections at once, one number after the other. */
  connections: readonly number[];
  /** Of one load. */
  seconds: number;
  workers: number;
}

/** How soon the console is there in a browser that has nothing of it yet. */
export interface ConsoleLoadScenario {
  kind: "console-load";
  name: string;
  rounds: number;
}

export type Scenario =
  | BesideUploadsScenario
  | BurstScenario
  | MemoryScenario
  | ConsoleLoadScenario
  | ConversationsScenario
  | HttpEnginesRequestsScenario
  | HttpRoutesScenario
  | HttpEnginesStreamsScenario
  | HttpEnginesIdleScenario
  | CompatOverheadScenario
  | FairnessScenario
  | GoodputScenario
  | NatsClusterScenario
  | RecognitionPeersScenario
  | RecognizerPartsScenario
  | FirstAudioScenario
  | LiveStreamsScenario
  | ProfileScenario
  | WebhooksScenario
  | ScaleOutScenario
  | SimulatedLoadScenario
  | SocketsScenario
  | SpeechPeersScenario
  | TranscriptionScenario
  | VoicePeersScenario
  | TranscriptionPeersScenario;

/** 20 characters, spoken in about a second. */
const SHORT_CLAUSE = "Good morning, friend";

const firstAudio = {
  kind: "first-audio",
  text: SHORT_CLAUSE,
  rounds: 5,
  perRound: 40,
  workers: 1,
  beside: null,
} as const;
const liveStreams = {
  kind: "live-streams",
  firstStreams: 50,
  mostStreams: 400,
  mostRuns: 6,
  rampMs: 4000,
  seed: 1,
  workers: 2,
} as const;

export const firstAudioWarmPcm: FirstAudioScenario = {
  ...firstAudio,
  name: "first-audio-one-clause-warm-socket-pcm24",
  format: "pcm",
  sampleRate: 24_000,
  socket: "warm",
};
export const firstAudioWarmMp3: FirstAudioScenario = {
  ...firstAudio,
  name: "first-audio-one-clause-warm-socket-mp3",
  format: "mp3",
  sampleRate: 44_100,
  socket: "warm",
  beside: { format: "pcm", sampleRate: 24_000 },
};
export const firstAudioColdPcm: FirstAudioScenario = {
  ...firstAudio,
  name: "first-audio-one-clause-cold-socket-pcm24",
  format: "pcm",
  sampleRate: 24_000,
  socket: "cold",
};

const besideUploads: BesideUploadsScenario = {
  kind: "beside-uploads",
  name: "first-audio-beside-uploads",
  format: "pcm",
  sampleRate: 24_000,
  socket: "warm",
  text: "Good morning, friends.",
  rounds: 5,
  perRound: 40,
  uploads: 16,
  files: 64,
  shortestSeconds: 2,
  longestSeconds: 90,
  seed: 1,
  workers: 2,
};

export const streamsWholeTextPcm: LiveStreamsScenario = {
  ...liveStreams,
  name: "live-streams-whole-text-pcm24",
  format: "pcm",
  sampleRate: 24_000,
  wordsPerSecond: null,
};
export const streamsWholeTextMp3: LiveStreamsScenario = {
  ...liveStreams,
  name: "live-streams-whole-text-mp3",
  format: "mp3",
  sampleRate: 44_100,
  wordsPerSecond: null,
};
export const streamsThreeWordsPcm: LiveStreamsScenario = {
  ...liveStreams,
  name: "live-streams-3-words-per-second-pcm24",
  format: "pcm",
  sampleRate: 24_000,
  wordsPerSecond: 3,
};
export const streamsThreeWordsMp3: LiveStreamsScenario = {
  ...liveStreams,
  name: "live-streams-3-words-per-second-mp3",
  format: "mp3",
  sampleRate: 44_100,
  wordsPerSecond: 3,
};
export const streamsTenWordsPcm: LiveStreamsScenario = {
  ...liveStreams,
  name: "live-streams-10-words-per-second-pcm24",
  format: "pcm",
  sampleRate: 24_000,
  wordsPerSecond: 10,
};

const webhooks = {
  kind: "webhooks",
  agents: 10,
  endpointsPerAgent: 5,
  deliveriesPerSecond: 200,
  durationMs: 60_000,
} as const;

export const webhooksPglite: WebhooksScenario = {
  ...webhooks,
  name: "webhooks-a-fifth-hanging-pglite",
  database: "pglite",
};
export const webhooksPostgres: WebhooksScenario = {
  ...webhooks,
  name: "webhooks-a-fifth-hanging-postgres",
  database: "postgres",
};

export const recognizerParts: RecognizerPartsScenario = {
  kind: "recognizer-parts",
  name: "recognizer-parts-parley-asr-en",
  model: "parley-asr-en",
  rounds: 5,
};

export const transcription: TranscriptionScenario = {
  kind: "transcription",
  name: "transcription-200-files",
  files: 200,
  shortestSeconds: 2,
  longestSeconds: 90,
  seed: 1,
  concurrency: 16,
  rounds: 3,
  workers: 2,
};

export const compatOverhead: CompatOverheadScenario = {
  kind: "compat-overhead",
  name: "compat-overhead-first-byte",
  text: SHORT_CLAUSE,
  rounds: 5,
  perRound: 30,
};

export const voicePeers: VoicePeersScenario = {
  kind: "voice-peers",
  name: "voice-peers",
  sentences: 40,
  clause: SHORT_CLAUSE,
  clausesPerRound: 20,
  rounds: 6,
};

export const transcriptionPeers: TranscriptionPeersScenario = {
  kind: "transcription-peers",
  name: "transcription-peers",
  recordings: transcription,
  rounds: 3,
  sherpaBatch: 1,
};

const recognitionPeers: RecognitionPeersScenario = { kind: "recognition-peers", name: "recognition-peers", rounds: 5 };

export const httpEnginesRequests: HttpEnginesRequestsScenario = {
  kind: "http-engines-requests",
  name: "http-engines-requests",
  connections: 50,
  rounds: 3,
  warmUpMs: 2000,
  durationMs: 4000,
};
export const httpEnginesStreams: HttpEnginesStreamsScenario = {
  kind: "http-engines-streams",
  name: "http-engines-streams",
  sockets: [50, 200],
  rounds: 3,
  frames: 188,
  warmUpFrames: 47,
};
export const httpEnginesIdle: HttpEnginesIdleScenario = {
  kind: "http-engines-idle-sockets",
  name: "http-engines-idle-sockets",
  sockets: 2000,
  warmUpSockets: 200,
  rounds: 3,
};

const httpRoutes: HttpRoutesScenario = {
  kind: "http-routes",
  name: "http-routes",
  connections: [10, 100, 1000],
  seconds: 4,
  workers: 2,
};

const consoleLoad: ConsoleLoadScenario = { kind: "console-load", name: "console-load", rounds: 20 };

export const conversations: ConversationsScenario = {
  kind: "conversations",
  name: "conversations",
  counts: [1, 4, 8, 12, 16],
  questions: 4,
  leastQuestions: 8,
  interruptions: 2,
  leastInterruptions: 4,
  interjections: 60,
  interjectingCallers: 8,
  hasPeer: true,
  peerCounts: [1, 4],
  seed: 1,
  workers: 2,
};

/** Every scenario, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  firstAudioWarmPcm,
  firstAudioWarmMp3,
  firstAudioColdPcm,
  besideUploads,
  streamsWholeTextPcm,
  streamsWholeTextMp3,
  streamsThreeWordsPcm,
  streamsThreeWordsMp3,
  streamsTenWordsPcm,
  burst,
  memory,
  goodput,
  fairness,
  scaleOut,
  natsCluster,
  simulatedLoad,
  webhooksPglite,
  webhooksPostgres,
  recognizerParts,
  transcription,
  compatOverhead,
  voicePeers,
  speechPeers,
  transcriptionPeers,
  recognitionPeers,
  httpEnginesRequests,
  httpEnginesStreams,
  httpEnginesIdle,
  httpRoutes,
  sockets,
  profile,
  consoleLoad,
  conversations,
];
