import { DETECTION_STEP_MS } from "#protocol/transcription/chunk";

export interface EndpointOptions {
  /** Speech must last this long to count: a click does not start a turn. */
  minSpeechMs: number;
  /** Silence of this length ends it. */
  endSilenceMs: number;
  /**
   * Answers of the detector, 0 to 255: speech starts at one and goes on down to the other, so that it does not flicker.
   */
  startThreshold: number;
  stayThreshold: number;
}

export const defaultEndpointOptions: EndpointOptions = {
  minSpeechMs: 80,
  endSilenceMs: 700,
  startThreshold: 160,
  stayThreshold: 90,
};

/**
 * Somebody began to speak at `atMs` of the stream, or had stopped speaking by then; `knownAtMs` is when the detector's
 * answers told.
 */
export interface EndpointEvent {
  kind: "started" | "ended";
  atMs: number;
  knownAtMs: number;
}

/** Where a stream stands. Plain data: keep it, send it, go on from it. */
export interface EndpointState {
  speaking: boolean;
  /** Steps seen. */
  steps: number;
  /** Beginning of the run of steps that may become speech, in steps; null in silence. */
  onsetStep: number | null;
  /** Steps of that run at or above the start threshold. */
  sureSteps: number;
  /** End of the last step that was speech. */
  lastSpeechStep: number;
}

export const silentEndpoint: EndpointState = {
  speaking: false,
  steps: 0,
  onsetStep: null,
  sureSteps: 0,
  lastSpeechStep: 0,
};

/**
 * Goes on with the next answers of a stream. However they are cut into calls, the events are the same: started and
 * ended in turn.
 */
export function followSpeech(
  state: EndpointState,
  speech: Uint8Array,
  options: Partial<EndpointOptions> = {},
): { state: EndpointState; events: EndpointEvent[] } {
  const chosen = { ...defaultEndpointOptions, ...options };
  const next = { ...state };
  const events: EndpointEvent[] = [];
  for (const answer of speech) {
    next.steps++;
    const event = next.speaking ? awaitEnd(next, answer, chosen) : awaitStart(next, answer, chosen);
    if (event !== null) events.push(event);
  }
  return { state: next, events };
}

function awaitStart(
  state: EndpointState,
  answer: number,
  { startThreshold, stayThreshold, minSpeechMs }: EndpointOptions,
): EndpointEvent | null {
  if (answer < Math.min(stayThreshold, startThreshold)) {
    state.onsetStep = null;
    state.sureSteps = 0;
    return null;
  }
  state.onsetStep ??= state.steps - 1;
  if (answer >= startThreshold) state.sureSteps++;
  if (state.sureSteps === 0 || state.sureSteps * DETECTION_STEP_MS < minSpeechMs) return null;
  const atMs = state.onsetStep * DETECTION_STEP_MS;
  Object.assign(state, { speaking: true, onsetStep: null, sureSteps: 0, lastSpeechStep: state.steps });
  return { kind: "started", atMs, knownAtMs: state.steps * DETECTION_STEP_MS };
}

function awaitEnd(
  state: EndpointState,
  answer: number,
  { stayThreshold, endSilenceMs }: EndpointOptions,
): EndpointEvent | null {
  if (answer >= stayThreshold) {
    state.lastSpeechStep = state.steps;
    return null;
  }
  if ((state.steps - state.lastSpeechStep) * DETECTION_STEP_MS < endSilenceMs) return null;
  state.speaking = false;
  return { kind: "ended", atMs: state.lastSpeechStep * DETECTION_STEP_MS, knownAtMs: state.steps * DETECTION_STEP_MS };
}
