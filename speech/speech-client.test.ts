import { describe, expect, it } from "vitest";
import { membersSubject, type ServedModel } from "#protocol/bus/membership";
import { ownerPromptRequestSubject, type PromptReply } from "#protocol/bus/voice-prompts";
import { defaultSampling } from "#protocol/speech/chunk";
import { bytesToSamples } from "#audio/pcm";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { SubmissionClient } from "#submission/submission-client";
import { SpeechClient } from "./speech-client.js";
import { livePacing } from "./stream/stream-settings.js";

const model = (name: string, sampleRate: number, more: Partial<ServedModel> = {}): ServedModel => ({
  ...{ name, task: "speak", languages: ["en"], sampleRate, speakers: [], maxBatch: 1, provider: "cpu" },
  ...more,
});

function clientWith(models: ServedModel[]): { bus: LocalBus; speech: SpeechClient } {
  const [bus, clock] = [new LocalBus(), new VirtualClock()];
  const speech = new SpeechClient(new SubmissionClient({ bus, clock, ownerId: "edge-1" }));
  const worker = { type: "heartbeat", role: "worker", id: "w", epoch: "e", state: "ready", schedulerId: null };
  bus.publish(membersSubject, { ...worker, slots: 1, models, brokenModels: [] });
  return { bus, speech };
}

describe("the models of a stream", () => {
  const namesOf = (models: ServedModel[]): string[] => models.map(({ name }) => name);

  it("are those in the order asked that give audio at the rate of the first, converted or not", () => {
    const { speech } = clientWith([
      model("slow", 16_000),
      model("first", 22_050),
      model("same", 22_050),
      model("converted", 24_000, { convertsRate: true }),
    ]);
    expect(namesOf(speech.servedModels(["first", "slow", "missing", "converted", "same"]))).toEqual([
      "first",
      "converted",
      "same",
    ]);
  });

  it("are for a cloned voice those first that speak in it", () => {
    const { speech } = clientWith([
      model("own", 22_050, { convertsRate: true }),
      model("old", 22_050),
      model("cloning", 24_000, { convertsRate: true, clonesVoices: true }),
    ]);
    const folders = ["own", "old", "cloning"];
    expect(namesOf(speech.servedModels(folders))).toEqual(folders);
    // A worker that does not convert would give another rate than the stream has now.
    expect(namesOf(speech.servedModels(folders, ({ clonesVoices }) => clonesVoices === true))).toEqual([
      "cloning",
      "own",
    ]);
  });
});

it("hands the recordings of a stream to workers until it is over", async () => {
  const { bus, speech } = clientWith([]);
  const samples = Int16Array.of(5, -6);
  const ask = (promptId: string): Promise<PromptReply> =>
    bus.request(
      ownerPromptRequestSubject("edge-1"),
      { type: "voice-prompt", promptId },
      { timeoutMs: 100, dependency: "x" },
    );
  const stream = speech.open(
    {
      ...{
        streamId: "s",
        models: [{ name: "m", languages: ["en"] }],
        tier: "live",
        isAdmitted: false,
        normalize: true,
      },
      voices: [{ speaker: null, language: null, speed: 1, traits: null, prompt: { source: "stream", id: "known" } }],
      prompts: new Map([["known", samples]]),
      ...{ sampling: defaultSampling, maxSamples: 0, seedBase: "", traceparent: null, pacing: livePacing },
      firstAudioGoalMs: 200,
    },
    () => undefined,
  );
  const reply = await ask("known");
  expect(reply.type === "voice-prompt" && bytesToSamples(reply.pcm)).toEqual(samples);
  expect(await ask("unknown")).toEqual({ type: "gone" });
  stream.cancel();
  expect(await ask("known")).toEqual({ type: "gone" });
  speech.close();
});
