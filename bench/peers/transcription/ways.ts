import type { Transcript } from "#protocol/transcription/request";
import type { TestCluster } from "#test/harness/cluster";
import { treeSeconds } from "../../processor-time.js";
import type { Recording } from "../../transcription/files.js";
import type { SherpaConnection, SherpaServer } from "./sherpa-server.js";

/** Symbols or words of each recording. */
export type Recognized = string[][];

/** One way to have recordings recognized. */
export interface Way {
  name: string;
  recognizeAll(recordings: readonly Recording[]): Promise<Recognized>;
  processorSeconds(): number;
}

/** sherpa-onnx's server, a client on each connection. */
export function throughSherpa(name: string, sherpa: SherpaServer, connections: readonly SherpaConnection[]): Way {
  return {
    name,
    processorSeconds: sherpa.processorSeconds,
    recognizeAll: (recordings) =>
      eachOnce(
        recordings,
        connections.map(
          (connection) =>
            ({ samples }) =>
              connection.recognize(samples),
        ),
      ),
  };
}

/** `/v1/asr`, which chooses the recognizer by the language. */
export function throughService(
  cluster: TestCluster,
  { name, language, concurrency }: { name: string; language: string; concurrency: number },
): Way {
  const ask = async (recording: Recording): Promise<string[]> => {
    const form = new FormData();
    form.append("audio", new Blob([recording.bytes as Uint8Array<ArrayBuffer>]), recording.name);
    form.append("language", language);
    const response = await fetch(`${cluster.baseUrl}/v1/asr`, {
      method: "POST",
      headers: { authorization: `Bearer ${cluster.apiKey}` },
      body: form,
    });
    if (!response.ok) throw new Error(`${recording.name}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as Transcript).text.split(" ").filter((word) => word !== "");
  };
  return {
    name,
    processorSeconds: () =>
      cluster.processes().reduce((sum, { pid }) => sum + (pid === null ? 0 : treeSeconds(pid)), 0),
    recognizeAll: (recordings) =>
      eachOnce(
        recordings,
        Array.from({ length: concurrency }, () => ask),
      ),
  };
}

/** Every recording to the client that is free first. */
async function eachOnce(
  recordings: readonly Recording[],
  clients: readonly ((recording: Recording) => Promise<string[]>)[],
): Promise<Recognized> {
  const waiting = [...recordings.entries()];
  const recognized: Recognized = [];
  const work = async (client: (recording: Recording) => Promise<string[]>): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      recognized[next[0]] = await client(next[1]);
  };
  await Promise.all(clients.map(work));
  return recognized;
}
