import type { PhoneCall } from "./phone-call.js";

/** What a telephone does with a call that comes. */
export type Behaviour = (call: PhoneCall) => Promise<void> | void;

/** Rings, answers, and says these samples at 8 kHz. */
export function answers(samples: Int16Array = new Int16Array(0)): Behaviour {
  return async (call) => {
    call.ring();
    call.answer();
    if (samples.length > 0) await call.play(samples);
  };
}

export function isBusy(): Behaviour {
  return (call) => {
    call.ring();
    call.refuse(486, "Busy Here");
  };
}

export function rejects(): Behaviour {
  return (call) => {
    call.ring();
    call.refuse(603, "Decline");
  };
}

/** Rings for ever. */
export function ringsOnly(): Behaviour {
  return (call) => call.ring();
}

/** No such number. */
export function isUnknown(): Behaviour {
  return (call) => call.refuse(404, "Not Found");
}

/** Says a greeting, then listens. */
export function isVoicemail(greeting: Int16Array, beepSamples: Int16Array): Behaviour {
  return async (call) => {
    call.ring();
    call.answer();
    await call.play(greeting);
    await call.play(beepSamples);
  };
}

/** Answers and hangs up when it has said its samples. */
export function saysAndHangsUp(samples: Int16Array): Behaviour {
  return async (call) => {
    await answers(samples)(call);
    await call.hangUp();
  };
}

/** Answers and says again what it receives. */
export function echoes(): Behaviour {
  return (call) => {
    call.ring();
    call.answer();
    call.onAudio = (samples) => void call.play(samples);
  };
}
