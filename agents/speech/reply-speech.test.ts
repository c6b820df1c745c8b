import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { defaultSampling } from "#protocol/speech/chunk";
import { LocalBus } from "#common/bus/testing/local-bus";
import { VirtualClock } from "#common/clock";
import { SpeechClient } from "#speech/speech-client";
import { livePacing } from "#speech/stream/stream-settings";
import { SAMPLE_RATE, ScriptedCluster } from "#speech/testing/scripted-cluster";
import { SubmissionClient } from "#submission/submission-client";
import { VirtualTrack } from "../room/testing/virtual-track.js";
import { ReplySpeech } from "./reply-speech.js";

const clause = "Before you bake the bread, ";
const rest = "let the dough rest in a warm place for at least an hour and ";

it("goes on with an unfinished sentence before the caller has heard what came before it", async () => {
  const [bus, clock] = [new LocalBus(), new VirtualClock()];
  const cluster = new ScriptedCluster({ bus, clock, model: "m", ownerId: "agents-1", faultOf: () => null });
  const voices = [{ speaker: null, language: null, speed: 1, traits: null }];
  const reply = new ReplySpeech({
    voice: {
      ...{ model: "s2.1-pro", sampleRate: SAMPLE_RATE, voiceIds: [] },
      settings: {
        ...{ models: [{ name: "m", languages: ["*"] }], tier: "live", isAdmitted: true, voices, normalize: true },
        ...{ sampling: defaultSampling, maxSamples: 0, seedBase: "", pacing: livePacing, firstAudioGoalMs: 200 },
      },
    },
    speech: new SpeechClient(new SubmissionClient({ bus, clock, ownerId: "agents-1" })),
    track: new VirtualTrack(clock, { sampleRate: SAMPLE_RATE, queueMs: 60 }),
    usage: { begin: () => () => undefined },
    clock,
    payer: { teamId: "t", keyId: "k", agentId: "a" },
    ...{ traceparent: "", traceId: "" },
    onAudible: () => undefined,
    onPlayed: () => undefined,
    onFailed: (error) => {
      throw error;
    },
  });
  const spoken = (): string[] => cluster.submits.map(({ submit }) => submit.chunk.text);
  const elapse = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += 10) {
      clock.advance(10);
      await nextTurn();
    }
  };
  reply.text(`${clause}let`);
  await elapse(500);
  reply.text(rest.slice(3));
  expect(spoken()).toEqual([clause.trim()]);
  await elapse(1000);
  expect(spoken()).toEqual([clause.trim(), rest.slice(0, -4).trim()]);
  await elapse(5000);
  reply.text("a half, on a plate that you have covered with a cloth which");
  expect(spoken().slice(2)).toEqual(["and a half, on a plate that you have covered"]);
  reply.stop();
});
