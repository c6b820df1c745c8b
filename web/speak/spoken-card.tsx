import { useMutation } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { send } from "../api/request.js";
import { joinSamples, wavFile, writeSamples } from "../audio/pcm.js";
import { saveFile } from "../audio/save.js";
import { LitWords } from "../parts/lit-words.js";
import { Waveform } from "../parts/waveform.js";
import { FailureNote } from "../shell/failure-note.js";
import { requestOf, type SpeakSettings } from "./settings.js";
import { PLAYED_RATE, type Speech, type SpeechRun } from "./speech-run.js";

/** What is, or was, spoken: to be seen, heard again and saved. */
export function SpokenCard({ run, asked }: { run: SpeechRun; asked: SpeakSettings }) {
  const { speech, pieces, lengthSeconds, positionOf, isPlaying } = run;
  return (
    <section className="card" aria-labelledby="spoken">
      <h2 id="spoken">Speech</h2>
      {speech === null ? (
        <p className="soft">Nothing was spoken yet. Write a text and press Speak.</p>
      ) : (
        <>
          {speech.failure === null ? null : <FailureNote doing="The text was not spoken" error={speech.failure} />}
          <Waveform
            label={`Waveform of ${lengthSeconds.toFixed(1)} seconds`}
            {...{ peaks: speech.peaks, lengthSeconds, positionOf, isPlaying }}
          />
          <LitWords label="Spoken text" {...{ pieces, positionOf, isPlaying }} />
          <p role="status" className="soft">
            {statusOf(speech, lengthSeconds)}
          </p>
          <div className="actions">
            <Button className="button quiet" isDisabled={isPlaying || speech.sampleCount === 0} onPress={run.playAgain}>
              Play again
            </Button>
            {speech.isComplete ? <SaveButton speech={speech} asked={asked} /> : null}
          </div>
        </>
      )}
    </section>
  );
}

function statusOf({ phase, firstAudioMs }: Speech, lengthSeconds: number): string {
  const first = firstAudioMs === null ? "No audio yet" : `First audio after ${Math.round(firstAudioMs)} ms`;
  const words = { speaking: "speaking", playing: "playing", done: "done", failed: "failed" } as const;
  return `${first} · ${lengthSeconds.toFixed(1)} s · ${words[phase]}`;
}

/** Saves the audio in the format that was chosen; what was played is PCM, so others are made by the service. */
function SaveButton({ speech, asked }: { speech: Speech; asked: SpeakSettings }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => saveFile(await fileOf(speech, asked), `speech.${asked.format}`),
  });
  const isPlayed = asked.format === "wav" || asked.format === "pcm";
  return (
    <>
      <Button className="button quiet" isDisabled={isPending} onPress={() => mutate()}>
        Download {asked.format.toUpperCase()}
      </Button>
      {isPlayed ? null : <span className="help">Asks the service once more, which counts as another request.</span>}
      {error === null ? null : <FailureNote doing="There is no file" error={error} />}
    </>
  );
}

async function fileOf(speech: Speech, asked: SpeakSettings): Promise<Blob> {
  const samples = joinSamples(speech.samples);
  if (asked.format === "wav") return wavFile(samples, PLAYED_RATE);
  if (asked.format === "pcm") return new Blob([writeSamples(samples)]);
  const answer = await send("POST", "/v1/tts", requestOf(asked), undefined, { model: asked.model });
  return await answer.blob();
}
