/** Something that was said or written in a call, as far as it is known. */
export interface Caption {
  /** The same for all that follows about one utterance. */
  id: string;
  speaker: "agent" | "user";
  /** All of the utterance so far. */
  text: string;
  isFinal: boolean;
}

/**
 * The captions of a call with a change to one of them. Who began first stands first; what was final stays as it is, for
 * the changes of one utterance may overtake each other on the way.
 */
export function withCaption(captions: readonly Caption[], change: Caption): readonly Caption[] {
  const at = captions.findIndex(({ id }) => id === change.id);
  if (at < 0) return [...captions, change];
  return captions[at]?.isFinal === true && !change.isFinal
    ? captions
    : captions.map((caption, index) => (index === at ? change : caption));
}
