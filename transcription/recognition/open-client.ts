import {
  type OwnerRecognitionInbound,
  ownerRecognitionSubject,
  ownerAudioRequestSubject,
  type AudioReply,
  type AudioRequest,
} from "#protocol/bus/recognition";
import type { SubmissionClient } from "#submission/submission-client";
import type { RecognitionClient } from "./recognition-client.js";
import { OpenRecognitionStream } from "./recognition-stream.js";

/**
 * Opens a role's end of the recognition path. Hands samples to the workers that ask for them, and results to the
 * streams they belong to. `client` stays the caller's.
 */
export function openRecognitionClient(client: SubmissionClient): RecognitionClient {
  const { bus, ownerId, cluster } = client;
  const streams = new Map<string, OpenRecognitionStream>();
  const subscriptions = [
    bus.respond<AudioRequest, AudioReply>(
      ownerAudioRequestSubject(ownerId),
      async ({ streamId, chunkIndex }) => streams.get(streamId)?.samplesOf(chunkIndex) ?? { type: "gone" },
    ),
    bus.subscribe<OwnerRecognitionInbound>(ownerRecognitionSubject(ownerId), (message) =>
      streams.get(message.streamId)?.recognized(message),
    ),
  ];
  return {
    open(settings) {
      const onClosed = (): void => void streams.delete(settings.streamId);
      const stream = new OpenRecognitionStream({ settings, client, onClosed });
      streams.set(settings.streamId, stream);
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
