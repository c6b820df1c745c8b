import { combineTraits } from "#common/audio/voice/traits";
import { measureVoiceSample } from "#common/audio/voice/measure-sample";
import type { SpeechContext } from "../../speech/session/context.js";
import { TeamSlots } from "../../speech/session/team-slots.js";
import { InlineVoices } from "../../speech/voice/inline-voices.js";
import { SavedVoices } from "../../speech/voice/saved-voices.js";

/** Completes what the edge has to what the speech routes need: `speechRoutes(createSpeechContext(...))`. */
export function createSpeechContext(given: Omit<SpeechContext, "savedVoices" | "inlineVoices" | "teamSlots">): SpeechContext {
  return {
    ...given,
    savedVoices: new SavedVoices(given.bus, given.clock),
    inlineVoices: new InlineVoices(measureVoiceSample, combineTraits),
    teamSlots: new TeamSlots(given.config.PARLEY_STREAMS_PER_TEAM),
  };
}
