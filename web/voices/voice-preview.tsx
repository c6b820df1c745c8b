import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Button } from "react-aria-components/Button";
import type { ModelEntity } from "#protocol/voices";
import { send } from "../api/request.js";
import { useScope } from "../session/scope.js";
import { FailureNote } from "../shell/failure-note.js";

/** Has a voice say a sentence, which the team is charged for, and plays it. */
export function VoicePreview({ voice }: { voice: ModelEntity }) {
  const maySpeak = useScope("speech");
  const audio = useRef<HTMLAudioElement>(null);
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: async () => {
      const text = voice.default_text === "" ? `Hello, I am ${voice.title}. This is how I speak.` : voice.default_text;
      const answer = await send("POST", "/v1/tts", { text, reference_id: voice._id, format: "mp3" });
      return await answer.blob();
    },
  });
  useEffect(() => {
    const element = audio.current;
    if (element === null || data === undefined) return;
    const address = URL.createObjectURL(data);
    element.src = address;
    // A browser that lets nothing play by itself shows the button that does.
    element.play().catch(() => undefined);
    return () => URL.revokeObjectURL(address);
  }, [data]);
  if (!maySpeak) return null;
  return (
    <>
      <Button
        className="button quiet"
        aria-label={`Hear ${voice.title}`}
        isDisabled={isPending}
        onPress={() => mutate()}
      >
        Hear
      </Button>
      {/* biome-ignore lint/a11y/useMediaCaption: it says the sentence that stands in its name */}
      {data === undefined ? null : <audio ref={audio} controls aria-label={`${voice.title} says its sentence`} />}
      {error === null ? null : <FailureNote doing="The voice was not heard" error={error} />}
    </>
  );
}
