import { connectNats } from "#common/bus/nats";
import { systemClock } from "#common/clock";
import { sendHeartbeats } from "#common/membership/heartbeat";
import { SubmissionClient } from "#submission/submission-client";
import { createLogger } from "#common/log";
import type { RecognitionClient } from "#transcription/recognition/recognition-client";
import { openRecognitionClient } from "#transcription/recognition/open-client";
import type { RecognitionTask } from "#protocol/transcription/chunk";
import { until } from "./processes.js";

/** A role of the test's own that submits audio to a running cluster, as an edge does. */
export interface TestRecognition {
  recognition: RecognitionClient;
  close(): Promise<void>;
}

/** Joins a cluster; resolves when its schedulers serve models of the tasks. */
export async function joinAsRecognitionClient(
  natsUrl: string,
  tasks: readonly RecognitionTask[],
): Promise<TestRecognition> {
  const id = "edge-of-the-test";
  const bus = await connectNats({ url: natsUrl, name: id, log: createLogger(id, "fatal") });
  const submissions = new SubmissionClient({ bus, clock: systemClock, ownerId: id });
  const { cluster } = submissions;
  const heartbeats = sendHeartbeats({
    bus,
    clock: systemClock,
    describe: () => ({ type: "heartbeat", role: "edge", id, epoch: "e", state: "ready" }),
  });
  const recognition = openRecognitionClient(submissions);
  const isServed = (task: RecognitionTask): boolean =>
    cluster.served(task).some(({ name }) => cluster.slotsOf(name) > 0);
  await until(() => tasks.every(isServed), { withinMs: 30_000, what: `models for ${tasks.join(" and ")}` });
  return {
    recognition,
    async close() {
      recognition.close();
      heartbeats.stop();
      submissions.close();
      await bus.close();
    },
  };
}
