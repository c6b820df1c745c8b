import { type Load, recordsAgain, speakRecording, streamAgain, transcribeAgain } from "../../soak/load.js";
import type { StartBeside } from "./beside.js";
import { openStream, streamRequests } from "./streams.js";

const RECORDED_TEXT = "The bridge over the river was opened again this morning.";
const quiet = { onSent: () => undefined, onAudio: () => undefined, onEnd: () => undefined };

/**
 * Speech over HTTP and over a WebSocket, transcriptions, and, unless its only server is the one that is replaced,
 * records, each again and again without a pause: none may be refused, break off, or be another than undisturbed.
 */
export const besideRestarts =
  ({ records }: { records: boolean }): StartBeside =>
  async ({ cluster }) => {
    const loads: Record<string, Load> = {};
    for (const kind of ["file", "live"] as const) {
      const request = streamRequests.find((candidate) => candidate.kind === kind);
      if (request === undefined) throw new Error(`no ${kind} among the streams`);
      const undisturbed = await openStream(cluster, cluster.apiKey, request, quiet);
      if (undisturbed.end !== "complete") throw new Error(`an undisturbed stream failed: ${undisturbed.detail}`);
      loads[kind] = streamAgain(cluster, cluster.apiKey, request, undisturbed);
    }
    loads["transcription"] = transcribeAgain(cluster, cluster.apiKey, await speakRecording(cluster, RECORDED_TEXT));
    if (records) loads["records"] = recordsAgain(cluster, cluster.apiKey);
    return {
      during: async () => [],
      async settle() {
        const wrong: string[] = [];
        for (const [name, load] of Object.entries(loads)) {
          await load.end();
          const { complete, failures, violations } = load.tally;
          wrong.push(...violations, ...failures.map((failure) => `${name} failed: ${failure}`));
          if (complete === 0) wrong.push(`${name}: nothing was complete`);
        }
        return wrong;
      },
    };
  };
