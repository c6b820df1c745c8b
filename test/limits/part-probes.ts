import { setImmediate as nextTurn } from "node:timers/promises";
import { type LimitName, limits } from "#protocol/limit-table";
import type { SpeechRequest } from "#protocol/speech/request";
import { encodeMsgpack } from "#protocol/msgpack";
import { ServiceError } from "#protocol/errors";
import { VirtualClock } from "#common/clock";
import { LookupLimits, lookupBounds } from "#edge/authentication/lookup-limits";
import { type HeldAnswer, holdAnswer } from "#edge/compat/held-answer";
import { realtimeRoutes } from "#edge/compat/openai/realtime/realtime-socket";
import { Conversation } from "#edge/compat/openai/realtime/conversation";
import { InputBuffer } from "#edge/compat/openai/realtime/input-buffer";
import { inputSocketRoute } from "#edge/compat/elevenlabs/input-socket";
import { Connection, type RawSocket } from "#edge/http/connection";
import type { HttpResponder, SocketRoute, SocketSession } from "#edge/http/exchange";
import { SocketAudioBudget } from "#edge/transcription/socket-audio-budget";
import { liveSpeechRoute } from "#edge/routes/speech/live-speech";
import { jsonRequest, RecordingConnection, SpeechBench, testPrincipal } from "#edge/speech/testing/speech-bench";
import type { Probe } from "./probe.js";

const MIB = 1024 * 1024;

/** A socket over a scripted cluster, in virtual time. */
class Socket {
  readonly bench = new SpeechBench();
  readonly connection = new RecordingConnection();
  #session: SocketSession | null = null;

  async open(route: (bench: SpeechBench) => SocketRoute, headers: Record<string, string> = {}): Promise<this> {
    this.#session = (
      await route(this.bench).upgrade({
        ...jsonRequest({}, headers),
        query: "output_format=pcm_8000",
        parameters: { voice_id: "default" },
      })
    )(this.connection);
    return this;
  }

  send(bytes: Uint8Array, isBinary: boolean): void {
    this.#session?.message(bytes, isBinary);
  }

  json(...frames: object[]): void {
    for (const frame of frames) this.send(Buffer.from(JSON.stringify(frame)), false);
  }

  live(...events: object[]): void {
    for (const event of events) this.send(encodeMsgpack(event), true);
  }

  get outcome(): string {
    return this.connection.closedWith === null ? "open" : `close ${this.connection.closedWith.code}`;
  }

  end(): void {
    this.#session?.end();
  }
}

const liveStart = { event: "start", request: { text: "", format: "pcm" } };
const live = (bench: SpeechBench): SocketRoute => liveSpeechRoute(bench.context);
const input =
  (isMulti: boolean) =>
  (bench: SpeechBench): SocketRoute => {
    bench.context.authenticate = async (request) => {
      if (request.header("authorization") === undefined) throw new ServiceError("unauthenticated");
      return testPrincipal;
    };
    return inputSocketRoute(bench.context, isMulti);
  };

/** A connection over an engine that holds `unsentBytes` and sends nothing on. */
function openConnection(unsentBytes = 0): { connection: Connection; outcome(): string } {
  let bufferedBytes = unsentBytes;
  let code: number | null = null;
  const raw: RawSocket = {
    send: () => 0,
    ping: () => 1,
    getBufferedAmount: () => (code === null ? bufferedBytes : 0),
    end: (ended) => {
      code = ended;
    },
    close: () => undefined,
  };
  const connection = new Connection({
    raw,
    clock: new VirtualClock(),
    stallMs: 1000,
    idleMs: 60_000,
    maxFrameBytes: MIB,
  });
  const outcome = (): string => {
    // What waits has been taken: the close frame that stands behind it leaves.
    bufferedBytes = 0;
    connection.drained();
    return code === null ? "open" : `close ${code}`;
  };
  return { connection, outcome };
}

/** The error that an action ends with, as a realtime client is told it. */
async function realtimeOutcome(action: () => void): Promise<string> {
  try {
    action();
    return "taken";
  } catch (error) {
    return error instanceof ServiceError ? `error ${error.reason ?? error.code}` : String(error);
  }
}

/** What comes of an answer that is one object. */
async function heldAnswerOutcome(text: string, speak: (answer: HeldAnswer) => Promise<void>): Promise<string> {
  const { heldAnswers } = new SpeechBench().context;
  const responder = { closed: new AbortController().signal } as HttpResponder;
  return await holdAnswer(
    {
      heldAnswers,
      teamId: "t",
      request: { text, format: "mp3" } as SpeechRequest,
      responder,
      textField: "text",
      instead: "",
    },
    speak,
  ).then(
    () => "taken",
    (error: unknown) => `status ${error instanceof ServiceError ? error.status : String(error)}`,
  );
}

/** A time, a millisecond short of it where it is the bound: that is when the bound acts. */
const justBefore = (atMs: number, boundMs: number): number => (atMs === boundMs ? atMs - 1 : atMs);

const item = (bytes: number): object => ({
  type: "message",
  content: [{ type: "input_text", text: "a".repeat(bytes) }],
});
/** An input buffer whose audio nobody transcribes. */
const inputBuffer = (): InputBuffer =>
  new InputBuffer({
    budget: new SocketAudioBudget(),
    settings: () => null,
    transcribe: () => Promise.reject(new Error("not wanted")),
  });

const pcm = { format: "pcm", rate: 24_000 } as Parameters<InputBuffer["commit"]>[0];

/** Bounds that no real network meets to the byte or to the millisecond: each on the part that holds it. */
export const partProbes = {
  wrongKeys: {
    within: "asked",
    async send(amount) {
      const lookups = new LookupLimits(lookupBounds, new VirtualClock());
      try {
        for (let at = 0; at < amount; at++) lookups.begin("203.0.113.9")(true);
        return "asked";
      } catch (error) {
        return `status ${(error as ServiceError).status}`;
      }
    },
  },
  keyMs: {
    within: "open",
    async send(amount) {
      const socket = await new Socket().open(input(false));
      socket.bench.clock.advance(justBefore(amount, limits.keyMs.most));
      return socket.outcome;
    },
  },
  earlyBytes: {
    within: "open",
    async send(amount) {
      const socket = new Socket();
      const route = (bench: SpeechBench): SocketRoute => {
        const own = input(false)(bench);
        const { authenticate } = bench.context;
        // The key of the first frame is being checked for ever.
        bench.context.authenticate = async (request) =>
          request.header("authorization") === undefined
            ? await authenticate(request)
            : await new Promise(() => undefined);
        return own;
      };
      await socket.open(route);
      const first = Buffer.from(JSON.stringify({ text: " ", xi_api_key: "good" }));
      socket.send(first, false);
      await nextTurn();
      socket.send(Buffer.alloc(amount - first.byteLength, 0x20), false);
      return socket.outcome;
    },
  },
  controlFrames: {
    within: "open",
    async send(amount) {
      const { connection, outcome } = openConnection();
      for (let at = 0; at < amount; at++) connection.controlFrame();
      return outcome();
    },
  },
  unsentBytes: {
    within: "open",
    async send(amount) {
      const { connection, outcome } = openConnection(amount);
      connection.send("one more");
      return outcome();
    },
  },
  waitingFrameBytes: {
    within: "open",
    async send(amount) {
      const { connection, outcome } = openConnection();
      connection.queueFrame(MIB);
      connection.queueFrame(amount);
      return outcome();
    },
  },
  heldAnswerCharacters: {
    within: "taken",
    send: (amount) => heldAnswerOutcome("a".repeat(amount), async () => undefined),
  },
  heldAnswerBytes: {
    within: "taken",
    far: 64 * MIB,
    send: (amount) =>
      heldAnswerOutcome("Hi", async (answer) => {
        for (let left = Math.ceil(amount / 4) * 3; left > 0; left -= 3 * MIB)
          await answer.audio(new Uint8Array(Math.min(3 * MIB, left)));
      }),
  },
  liveTextBytes: {
    within: "open",
    async send(amount) {
      const socket = await new Socket().open(live);
      socket.live(liveStart);
      // In frames that are decoded at once, all before the voice is known.
      for (let left = amount; left > 0; left -= 50_000)
        socket.live({ event: "text", text: "a".repeat(Math.min(50_000, left)) });
      await nextTurn();
      return socket.outcome;
    },
  },
  liveEvents: {
    within: "open",
    async send(amount) {
      const socket = await new Socket().open(live);
      socket.live(liveStart);
      for (let at = 0; at < amount; at++) socket.live({ event: "flush" });
      return socket.outcome;
    },
  },
  inputTextBytes: {
    within: "open",
    async send(amount) {
      const socket = await new Socket().open(input(false), { "xi-api-key": "good" });
      let left = amount;
      for (; left > 0; left -= 50_000) socket.json({ text: "a".repeat(Math.min(50_000, left)) });
      return socket.outcome;
    },
  },
  contexts: {
    within: "open",
    async send(amount) {
      const socket = await new Socket().open(input(true), { "xi-api-key": "good" });
      for (let at = 0; at < amount; at++) socket.json({ text: "Hello ", context_id: `c${at}` });
      const errors = socket.connection.sent
        .map((frame) => JSON.parse(Buffer.from(frame).toString()) as { code?: number })
        .filter(({ code }) => code !== undefined);
      return errors[0] === undefined ? socket.outcome : `error ${errors[0].code}`;
    },
  },
  socketAudioBytes: {
    within: "taken",
    far: 130 * MIB,
    async send(amount) {
      const buffer = inputBuffer();
      return await realtimeOutcome(() => {
        for (let left = amount; left > 0; left -= 10 * MIB) buffer.append(new Uint8Array(Math.min(10 * MIB, left)));
      });
    },
  },
  socketCommits: {
    within: "taken",
    async send(amount) {
      const buffer = inputBuffer();
      return await realtimeOutcome(() => {
        for (let at = 0; at < amount; at++) {
          buffer.append(new Uint8Array(pcm.rate));
          buffer.commit(pcm);
        }
      });
    },
  },
  conversationItems: {
    within: "taken",
    async send(amount) {
      const conversation = new Conversation();
      return await realtimeOutcome(() => {
        for (let at = 0; at < amount; at++) conversation.create(item(1));
      });
    },
  },
  conversationItemBytes: {
    within: "taken",
    send: (amount) => realtimeOutcome(() => void new Conversation().create(item(amount))),
  },
  sessionSeconds: {
    within: "open",
    async send(amount) {
      const realtime = (bench: SpeechBench): SocketRoute => {
        const transcriberFor = () => async () => ({ text: "", words: [], seconds: 0 });
        const { context } = bench;
        return realtimeRoutes({
          speech: context,
          audioBudget: new SocketAudioBudget(),
          admitTranscription: context.authenticate,
          transcriberFor,
        })[0] as SocketRoute;
      };
      const socket = await new Socket().open(realtime);
      socket.bench.clock.advance(justBefore(amount * 1000, limits.sessionSeconds.most * 1000));
      return socket.outcome;
    },
  },
} as const satisfies Partial<Record<LimitName, Probe>>;
