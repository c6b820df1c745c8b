import { describe, expect, it } from "vitest";
import { TranscriptionBench } from "../../../transcription/testing/transcription-bench.js";
import { audioOfWords } from "#transcription/testing/scripted-client";
import { samplesToBytes } from "#audio/pcm";
import type { SocketSession } from "../../../http/exchange.js";
import { jsonRequest, RecordingConnection, SpeechBench, testPrincipal } from "../../../speech/testing/speech-bench.js";
import { compatRoutes } from "../../routes.js";

const { samples } = audioOfWords([{ pauseSteps: 20, steps: 30, loudness: 2001 }], 40);
const audio = Buffer.from(samplesToBytes(samples)).toString("base64");

interface Event {
  type: string;
  error?: { code: string; param: string | null };
  [field: string]: unknown;
}

/** An edge whose caller has a key with these scopes. */
class Edge {
  readonly #speech = new SpeechBench();
  readonly #transcription = new TranscriptionBench({ turnsOf: () => 20 });
  readonly #routes = compatRoutes(this.#speech.context, {
    ...this.#transcription.context,
    teamSlots: this.#speech.context.teamSlots,
  });
  readonly #connection = new RecordingConnection();
  #session: SocketSession | null = null;

  constructor(scopes: string[], hasCredit = true) {
    const principal = { ...testPrincipal, scopes, hasCredit };
    this.#speech.principal = principal;
    this.#transcription.principal = principal;
  }

  /** How often words were asked for. */
  get recognitions(): number {
    return this.#transcription.recognition.lengths.filter(({ task }) => task === "transcribe").length;
  }

  /** The words that recognizers were told to look out for, at each turn. */
  get keyterms() {
    const { opened } = this.#transcription.recognition;
    return opened.filter(({ task }) => task === "transcribe").map(({ keyterms }) => keyterms);
  }

  get openStreams(): number {
    return this.#transcription.recognition.openStreams;
  }

  get usage() {
    return this.#transcription.usage;
  }

  async connect(query: string): Promise<this> {
    const route = this.#routes.sockets.find(({ path }) => path === "/compat/v1/realtime");
    this.#session = (await route!.upgrade({ ...jsonRequest({}), query }))(this.#connection);
    return this;
  }

  async send(...events: object[]): Promise<Event[]> {
    const before = this.#connection.sent.length;
    for (const event of events) this.#session?.message(Buffer.from(JSON.stringify(event)), false);
    await this.#speech.pass(2000);
    return this.#connection.sent.slice(before).map((frame) => JSON.parse(Buffer.from(frame).toString()) as Event);
  }
}

const transcription = "intent=transcription";
const update = (session: object) => ({ type: "session.update", session });

describe("a realtime socket with intent=transcription", () => {
  it("is open to a key that may transcribe and nothing else", async () => {
    const edge = await new Edge(["transcription"]).connect(transcription);
    const [updated] = await edge.send(
      update({ type: "transcription", audio: { input: { format: { type: "audio/pcm", rate: 16_000 } } } }),
    );
    expect(updated).toMatchObject({
      type: "session.updated",
      session: { type: "transcription", object: "realtime.transcription_session" },
    });
    const events = await edge.send({ type: "input_audio_buffer.append", audio }, { type: "input_audio_buffer.commit" });
    expect(events.at(-1)).toMatchObject({
      type: "conversation.item.input_audio_transcription.completed",
      transcript: "w2001",
    });
  });

  it("has the words of the prompt found, also after updates that leave it alone", async () => {
    const edge = await new Edge(["transcription"]).connect(transcription);
    const format = { type: "audio/pcm", rate: 16_000 };
    await edge.send(update({ audio: { input: { format, transcription: { prompt: "Names: Parley, Okta" } } } }));
    await edge.send({ type: "input_audio_buffer.append", audio }, { type: "input_audio_buffer.commit" });
    await edge.send(update({ audio: { input: { transcription: { language: "en" } } } }));
    await edge.send({ type: "input_audio_buffer.append", audio }, { type: "input_audio_buffer.commit" });
    expect(edge.keyterms).toEqual([1, 2].map(() => ["Names", "Parley", "Okta"]));
  });

  it("gives each stretch of a long turn when it is final, after the commit and before the whole", async () => {
    const edge = await new Edge(["transcription"]).connect(transcription);
    await edge.send(update({ audio: { input: { format: { type: "audio/pcm", rate: 16_000 } } } }));
    const long = audioOfWords(
      [2001, 2002, 2003].map((loudness) => ({ pauseSteps: 230, steps: 60, loudness })),
      40,
    ).samples;
    const bytes = Buffer.from(samplesToBytes(long));
    for (let at = 0; at < bytes.length; at += 16_000) {
      const audio = bytes.subarray(at, at + 16_000).toString("base64");
      expect(await edge.send({ type: "input_audio_buffer.append", audio })).toEqual([]);
    }
    expect(edge.recognitions).toBe(2);
    const events = await edge.send({ type: "input_audio_buffer.commit" });
    expect(edge.recognitions).toBe(3);
    expect(events.map(({ type }) => type.replace("conversation.item.", ""))).toEqual([
      "input_audio_buffer.committed",
      "added",
      "done",
      ...Array.from({ length: 3 }, () => "input_audio_transcription.delta"),
      "input_audio_transcription.completed",
    ]);
    const deltas = events.filter(({ type }) => type.endsWith(".delta"));
    expect(deltas.map(({ delta }) => delta)).toEqual(["w2001", " w2002", " w2003"]);
    expect(deltas[0]).toMatchObject({ item_id: events[0]?.["item_id"], content_index: 0 });
    expect(events.at(-1)).toMatchObject({ transcript: "w2001 w2002 w2003", usage: { seconds: 9.1 } });
    expect(edge.usage).toMatchObject([{ outcome: "completed", audioMs: 9100 }]);
  });

  it("forgets and charges nothing of what is cleared, and reads again what was sent in another format", async () => {
    const edge = await new Edge(["transcription"]).connect(transcription);
    await edge.send({ type: "input_audio_buffer.append", audio }, { type: "input_audio_buffer.clear" });
    expect(edge.openStreams).toBe(0);
    await edge.send({ type: "input_audio_buffer.append", audio });
    const events = await edge.send(update({ audio: { input: { format: { type: "audio/pcm", rate: 16_000 } } } }), {
      type: "input_audio_buffer.commit",
    });
    expect(events.at(-1)).toMatchObject({ transcript: "w2001", usage: { seconds: 0.9 } });
    expect(edge.usage).toMatchObject([{ outcome: "completed", audioMs: 900 }]);
    expect(edge.openStreams).toBe(0);
  });

  it("is closed to one that may not, or whose team has no credit", async () => {
    await expect(new Edge(["speech"]).connect(transcription)).rejects.toMatchObject({
      code: "missing_scope",
      parameters: { scope: "transcription" },
    });
    await expect(new Edge(["transcription"], false).connect(transcription)).rejects.toMatchObject({
      code: "out_of_credit",
    });
    await expect(new Edge(["transcription"]).connect("model=gpt-realtime")).rejects.toMatchObject({
      code: "missing_scope",
      parameters: { scope: "speech" },
    });
  });

  it.each([["transcription"], ["*"]])("does not speak, whoever asks (scope %s)", async (scope) => {
    const edge = await new Edge([scope]).connect(transcription);
    const item = {
      type: "conversation.item.create",
      item: { type: "message", role: "user", content: [{ type: "input_text", text: "Hello there." }] },
    };
    const answers = await edge.send(item, { type: "response.create" }, update({ type: "realtime" }), {
      type: "response.create",
    });
    expect(answers.filter(({ type }) => type === "error").map(({ error }) => [error?.code, error?.param])).toEqual([
      ["invalid_session_type", "type"],
      ["invalid_session_type", "session.type"],
      ["invalid_session_type", "type"],
    ]);
    expect(answers.filter(({ type }) => type.startsWith("response."))).toEqual([]);
    const [updated] = await edge.send(update({}));
    expect(updated).toMatchObject({ type: "session.updated", session: { type: "transcription" } });
  });
});
