import { ownerVerdictSubject, type Verdict } from "#protocol/bus/scheduling";
import {
  type OwnerRecognitionInbound,
  ownerRecognitionSubject,
  ownerAudioRequestSubject,
  type AudioReply,
  type AudioRequest,
} from "#protocol/bus/recognition";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import type { ClusterView } from "#common/membership/cluster-view";
import type { RecognitionClient } from "./recognition-client.js";
import { OpenRecognitionStream } from "./recognition-stream.js";

/**
 * Opens a role's end of the listening path. Hands samples to the workers that ask for them, results and verdicts to the
 * streams they belong to, and tells streams when a scheduler is lost or the bus was interrupted. `ownerId` is the
 * role's member id; `cluster` stays the caller's.
 */
export function openRecognitionClient(options: {
  bus: Bus;
  clock: Clock;
  ownerId: string;
  cluster: ClusterView;
}): RecognitionClient {
  const { bus, clock, ownerId, cluster } = options;
  const streams = new Map<string, OpenRecognitionStream>();
  const subscriptions = [
    bus.respond<AudioRequest, AudioReply>(
      ownerAudioRequestSubject(ownerId),
      async ({ streamId, chunkIndex }) => streams.get(streamId)?.samplesOf(chunkIndex) ?? { type: "gone" },
    ),
    bus.subscribe<OwnerRecognitionInbound>(ownerRecognitionSubject(ownerId), (message) =>
      streams.get(message.streamId)?.recognized(message),
    ),
    bus.subscribe<Verdict>(ownerVerdictSubject(ownerId), (verdict) => streams.get(verdict.streamId)?.verdict(verdict)),
  ];
  cluster.onChange(({ type, member }) => {
    if (member.role === "scheduler" && type === "lost")
      for (const stream of [...streams.values()]) stream.schedulerLost(member.id);
  });
  bus.onReconnect(() => {
    for (const stream of [...streams.values()]) stream.reconnected();
  });
  return {
    open(settings) {
      const { streamId, model } = settings;
      const stream = new OpenRecognitionStream({
        settings,
        ownerId,
        bus,
        clock,
        chooseScheduler: (avoid) => cluster.chooseScheduler({ model, keep: null, avoid, by: "backlog" }),
        slots: () => cluster.slotsOf(model),
        onClosed: () => streams.delete(streamId),
      });
      streams.set(streamId, stream);
      return stream;
    },
    served: (task) => cluster.served(task),
    get activePieces() {
      return [...streams.values()].reduce((sum, stream) => sum + stream.activePieces, 0);
    },
    close() {
      for (const stream of [...streams.values()]) stream.close();
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
