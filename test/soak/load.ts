import { setTimeout as wait } from "node:timers/promises";
import type { ServiceAccess, TestCluster } from "../harness/cluster.js";
import { openStream, type StreamRequest, type StreamResult } from "../faults/matrix/streams.js";

/** What one kind of load came to. */
export interface Tally {
  complete: number;
  /** What was refused or broken off, in words. */
  failures: string[];
  /** What says that it is complete and is not, in words. */
  violations: string[];
}

/** A load that goes on until it is ended. */
export interface Load {
  tally: Tally;
  /** Begins nothing more; resolves when what is under way is over. */
  end(): Promise<void>;
}

const newTally = (): Tally => ({ complete: 0, failures: [], violations: [] });

function repeat(tally: Tally, once: () => Promise<void>): Load {
  let isOver = false;
  const work = async (): Promise<void> => {
    while (!isOver) await once();
  };
  const working = work();
  return {
    tally,
    end() {
      isOver = true;
      return working;
    },
  };
}

const quiet = { onSent: () => undefined, onAudio: () => undefined, onEnd: () => undefined };

/** The same stream again and again, held against what it gave undisturbed. */
export function streamAgain(
  cluster: TestCluster,
  apiKey: string,
  request: StreamRequest,
  undisturbed: StreamResult,
): Load {
  const tally = newTally();
  return repeat(tally, async () => {
    const { end, audio, detail } = await openStream(cluster, apiKey, request, quiet);
    if (end !== "complete") tally.failures.push(detail);
    else tally.complete++;
    const whole = Buffer.from(undisturbed.audio);
    const isSame = end === "complete" ? whole.equals(audio) : whole.subarray(0, audio.byteLength).equals(audio);
    if (end === "hang") tally.violations.push(detail);
    if (!isSame)
      tally.violations.push(`${request.kind} ${request.format}: ${audio.byteLength} bytes that are not those`);
  });
}

/** OpenAI's way of asking for speech, again and again. */
export function compatAgain(cluster: TestCluster, apiKey: string, input: string): Load {
  const tally = newTally();
  let whole: Buffer | null = null;
  return repeat(tally, async () => {
    try {
      const answer = await fetch(`${cluster.baseUrl}/compat/v1/audio/speech`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "tts-1", voice: "default", input, response_format: "wav" }),
        signal: AbortSignal.timeout(90_000),
      });
      const body = Buffer.from(await answer.arrayBuffer());
      if (answer.status !== 200) return void tally.failures.push(`${answer.status} ${body.toString().slice(0, 200)}`);
      tally.complete++;
      whole ??= body;
      if (!whole.equals(body)) tally.violations.push(`compat: ${body.byteLength} bytes instead of ${whole.byteLength}`);
    } catch (error) {
      tally.failures.push(String(error));
    }
  });
}

/** A recording for transcription, which the cluster makes itself. */
export async function speakRecording({ baseUrl, apiKey }: ServiceAccess, text: string): Promise<Uint8Array> {
  const answer = await fetch(`${baseUrl}/v1/tts`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ text, format: "wav", sample_rate: 16_000 }),
  });
  if (answer.status !== 200) throw new Error(`no recording: ${answer.status} ${await answer.text()}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** A recording transcribed again and again: always the words of the first time. */
export function transcribeAgain(cluster: TestCluster, apiKey: string, recording: Uint8Array): Load {
  const tally = newTally();
  let words: string | null = null;
  return repeat(tally, async () => {
    const form = new FormData();
    form.append("audio", new Blob([new Uint8Array(recording)]), "recording.wav");
    try {
      const answer = await fetch(`${cluster.baseUrl}/v1/asr`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}` },
        body: form,
        signal: AbortSignal.timeout(90_000),
      });
      const body = await answer.text();
      if (answer.status !== 200) {
        tally.failures.push(`${answer.status} ${body.slice(0, 200)}`);
        return await wait(100);
      }
      tally.complete++;
      const { text } = JSON.parse(body) as { text: string };
      words ??= text;
      if (text.trim() === "" || text !== words) tally.violations.push(`"${text}" instead of "${words}"`);
      // One after the other without a pause, they would take every core from whatever starts anew.
      await wait(500);
    } catch (error) {
      tally.failures.push(String(error));
    }
  });
}

/** Agents made, read and deleted; what was acknowledged must be as it was acknowledged. */
export function recordsAgain(cluster: TestCluster, apiKey: string): Load & { agents: Map<string, boolean> } {
  const tally = newTally();
  /** By id: whether it must be there. What no answer came for may be either. */
  const agents = new Map<string, boolean>();
  const ask = async (method: string, path: string, body?: object): Promise<{ status: number; text: string } | null> => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const answer = await fetch(cluster.baseUrl + path, {
        method,
        headers,
        ...sent,
        signal: AbortSignal.timeout(90_000),
      });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      tally.failures.push(String(error));
      return null;
    }
  };
  const load = repeat(tally, async () => {
    const made = await ask("POST", "/v1/agent/agents", { name: `soak ${agents.size}` });
    if (made?.status !== 201) {
      tally.failures.push(`POST ${made?.status} ${made?.text.slice(0, 100)}`);
      // A refusal comes at once, and a hundred a second say no more than one.
      return await wait(100);
    }
    tally.complete++;
    const { agent_id: id } = JSON.parse(made.text) as { agent_id: string };
    agents.set(id, true);
    if (agents.size % 3 !== 0) return;
    const gone = await ask("DELETE", `/v1/agent/agents/${id}`);
    if (gone?.status === 204) agents.set(id, false);
    else agents.delete(id);
  });
  return { ...load, agents };
}
