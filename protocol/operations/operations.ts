import { agentOperations } from "./agents.js";
import type { Operation } from "./operation.js";
import { issueSignInCode, showSession, signIn, signOut } from "./console.js";
import { health, metrics, ready } from "./operator.js";
import { keyOperations } from "./keys.js";
import { downloadRecording } from "./recordings.js";
import { listSpeakers, liveSpeech, textToSpeech, textToSpeechEvents } from "./speech.js";
import { traceOperations } from "./traces.js";
import { toolOperations } from "./tools.js";
import { transcribeFile } from "./transcription.js";
import { voiceOperations } from "./voices.js";
import { walletOperations } from "./wallet.js";
import { webhookOperations } from "./webhooks.js";

/** What the control plane answers; edges forward it. */
export const forwardedOperations: readonly Operation[] = [
  ...voiceOperations,
  ...agentOperations,
  ...toolOperations,
  ...webhookOperations,
  ...walletOperations,
  ...traceOperations,
  ...keyOperations,
];

/** The whole public interface, in the order of the documentation. */
export const operations: readonly Operation[] = [
  textToSpeech,
  textToSpeechEvents,
  liveSpeech,
  listSpeakers,
  transcribeFile,
  ...forwardedOperations,
  downloadRecording,
  signIn,
  showSession,
  signOut,
  issueSignInCode,
  health,
  ready,
  metrics,
];
