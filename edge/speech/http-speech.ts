import { ServiceError } from "#protocol/errors";
import type { HttpResponder } from "../http/exchange.js";
import type { Caller } from "./caller.js";
import type { SpeechContext } from "./context.js";
import type { SpeechRoute } from "#speech/metrics";
import type { SpeechOutput } from "#speech/output/output";
import { askedStream, planSpeech } from "./plan.js";
import { SpokenRequest } from "./spoken-request.js";
import { filePacing } from "#speech/stream/stream-settings";
import type { SpeechRequest } from "#protocol/speech/request";
import { speakWholeText } from "./whole-text.js";

/**
 * Writes one spoken request to a responder. `done` settles with the request: it rejects with the error that ended it.
 */
export interface HttpSpeechWriter extends Omit<SpeechOutput, "ended" | "failed"> {
  ended(): Promise<void>;
  /** True when the error was shown within the body; false hands it to the server's error answer. */
  failed(error: ServiceError): boolean;
}

/** One validated request of an admitted caller, on its way to a responder. */
export interface HttpSpeech {
  context: SpeechContext;
  route: SpeechRoute;
  caller: Caller;
  request: SpeechRequest;
  /** Whether somebody waits for the first audio; a file may wait for its turn when absent. */
  isAwaited?: boolean;
  responder: HttpResponder;
  /** The protocol's way of writing the audio. */
  writer: HttpSpeechWriter;
}

/**
 * Speaks a validated request. Throws the errors of planning, and whatever ended the speech before its writer could show
 * it.
 */
export async function speakOverHttp({
  context,
  route,
  caller,
  request,
  isAwaited = false,
  responder,
  writer,
}: HttpSpeech): Promise<void> {
  const requested = { request, caller, context, pacing: filePacing, isAwaited };
  const release = context.teamSlots.take(caller.principal);
  try {
    await context.admission.admit(askedStream(requested, request.text));
    if (responder.closed.aborted) return;
    const plan = await planSpeech(requested);
    if (responder.closed.aborted) return;
    await new Promise<void>((resolve, reject) => {
      let sounded = false;
      const output: SpeechOutput = {
        ...writer,
        bytes: (bytes) => {
          sounded = true;
          return writer.bytes(bytes);
        },
        ended: async () => {
          // An engine may find nothing to say in a text that looked speakable, such as a sign alone.
          if (!sounded) return reject(new ServiceError("nothing_to_speak"));
          await writer.ended();
          resolve();
        },
        failed: (error) => {
          if (writer.failed(error)) resolve();
          else reject(error);
        },
      };
      const spoken = new SpokenRequest({ context, caller, plan, route, output });
      responder.closed.addEventListener("abort", () => {
        spoken.cancel();
        resolve();
      });
      speakWholeText(spoken, request.text, caller.arrivedAtMs, responder.closed).catch((error: unknown) => {
        spoken.cancel("failed");
        reject(error);
      });
    });
  } finally {
    release();
  }
}
