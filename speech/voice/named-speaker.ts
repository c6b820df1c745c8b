import type { ServedModel } from "#protocol/bus/membership";
import type { VoiceSettings } from "#protocol/speech/chunk";

/** A speaker that a served model has of its own: requests name it where they would name a saved voice. */
export interface NamedSpeaker {
  /** What callers write: the speaker's name, or `model:name` where a model earlier in the list has one of this name. */
  id: string;
  model: string;
  /** Its name within the model; null is the model's default speaker. */
  speaker: string | null;
  /** Of the model, BCP-47 or `*`. */
  languages: readonly string[];
}

/** What a model without names calls its only speaker; of callers it means the voice that speaks when none is named. */
const NAMELESS = "default";

/** The speakers of models, in their order. One without names, as most of Piper's, is a speaker of the model's name. */
export function namedSpeakers(models: readonly ServedModel[]): NamedSpeaker[] {
  const taken = new Set<string>();
  return models.flatMap<NamedSpeaker>(({ name: model, languages, speakers }) => {
    const names = speakers.filter((name) => name !== NAMELESS);
    if (names.length === 0) return [{ id: model, model, speaker: null, languages }];
    return names.map((speaker) => {
      const id = taken.has(speaker) ? `${model}:${speaker}` : speaker;
      taken.add(speaker);
      return { id, model, speaker, languages };
    });
  });
}

/**
 * The speaker that a request names: alone (`heart`), after its model (`parley-en:heart`), or by a model's name alone,
 * which is that model's default speaker. Null where no model has it.
 */
export function findNamedSpeaker(models: readonly ServedModel[], asked: string): NamedSpeaker | null {
  // Most requests name nobody, and need no list.
  if (asked === "") return null;
  const speakers = namedSpeakers(models);
  const named =
    speakers.find(({ id }) => id === asked) ??
    speakers.find(({ model, speaker }) => speaker !== null && `${model}:${speaker}` === asked);
  if (named !== undefined) return named;
  const model = models.find(({ name }) => name === asked);
  return model === undefined ? null : { id: asked, model: asked, speaker: null, languages: model.languages };
}

/** What a chunk says of a speaker that was named. */
export function speakerSettings({ model, speaker }: NamedSpeaker): Pick<VoiceSettings, "speaker" | "speakerModel"> {
  return { speaker, speakerModel: model };
}
