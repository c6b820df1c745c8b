import { describe, expect, it } from "vitest";
import { ownerVerdictSubject } from "#protocol/bus/scheduling";
import { LocalBus } from "#common/bus/testing/local-bus";
import type { Subscription } from "#common/bus/bus";
import { VirtualClock } from "#common/clock";
import { SpeechClient } from "#speech/speech-client";
import { SubmissionClient } from "#submission/submission-client";
import { openRecognitionClient } from "#transcription/recognition/open-client";

class CountingBus extends LocalBus {
  readonly open: string[] = [];

  override subscribe<T>(subject: string, handler: (message: T) => void): Subscription {
    const subscription = super.subscribe(subject, handler);
    this.open.push(subject);
    return {
      unsubscribe: () => {
        subscription.unsubscribe();
        this.open.splice(this.open.indexOf(subject), 1);
      },
    };
  }
}

describe("a role that speaks and transcribes", () => {
  it("subscribes to its verdicts once, and to nothing any more when it has closed", () => {
    const bus = new CountingBus();
    const submissions = new SubmissionClient({ bus, clock: new VirtualClock(), ownerId: "edge-1" });
    const speech = new SpeechClient(submissions);
    const recognition = openRecognitionClient(submissions);
    expect(bus.open.filter((subject) => subject === ownerVerdictSubject("edge-1")).length).toBe(1);
    expect(new Set(bus.open).size).toBe(bus.open.length);
    speech.close();
    recognition.close();
    submissions.close();
    expect(bus.open).toEqual([]);
  });
});
