import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { MAX_VOICE_SAMPLES, type ModelEntity } from "#protocol/voices";
import { ask } from "../api/request.js";
import { Dialog } from "../parts/dialog.js";
import { FileDrop } from "../parts/file-drop.js";
import { Recorder } from "../parts/recorder.js";
import { TextField } from "../parts/text-field.js";
import { FailureNote } from "../shell/failure-note.js";
import { DetailsFields } from "./details-fields.js";
import { formOf, noDetails, type VoiceSample } from "./voice-details.js";

interface CreateVoiceProps {
  isOpen: boolean;
  onClose: () => void;
}

/** Makes a voice from recordings. */
export function CreateVoice({ isOpen, onClose }: CreateVoiceProps) {
  return (
    <Dialog title="A new voice" isOpen={isOpen} onClose={onClose}>
      <CreateForm onClose={onClose} />
    </Dialog>
  );
}

function CreateForm({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [details, setDetails] = useState(noDetails);
  const [samples, setSamples] = useState<VoiceSample[]>([]);
  const lastId = useRef(0);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => ask<ModelEntity>("POST", "/model", formOf(details, samples)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["voices"] });
      onClose();
    },
  });
  const add = (files: File[]): void => {
    const added = files.map((file) => ({ id: ++lastId.current, file, text: "" }));
    setSamples((before) => [...before, ...added].slice(0, MAX_VOICE_SAMPLES));
  };
  const isReady = details.title.trim() !== "" && samples.length > 0;
  return (
    <>
      <DetailsFields details={details} onChange={setDetails} />
      <FileDrop
        label="Recordings of the voice"
        help={`Speech of one person, who agrees to it: a second to five minutes each, at most ${MAX_VOICE_SAMPLES}.`}
        onFiles={add}
      />
      <Recorder onRecording={(file) => add([file])} />
      <ul className="samples">
        {samples.map((sample) => (
          <li key={sample.id}>
            <TextField
              label={`What is said in ${sample.file.name}`}
              help="Empty: the service writes it down."
              value={sample.text}
              onChange={(text) =>
                setSamples((all) => all.map((other) => (other.id === sample.id ? { ...other, text } : other)))
              }
            />
            <Button
              className="button quiet"
              aria-label={`Remove ${sample.file.name}`}
              onPress={() => setSamples((all) => all.filter(({ id }) => id !== sample.id))}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {error === null ? null : <FailureNote doing="The voice was not made" error={error} />}
      <div className="actions">
        <Button className="button" isDisabled={!isReady || isPending} onPress={() => mutate()}>
          {isPending ? "Measuring the recordings…" : "Make the voice"}
        </Button>
        <Button className="button quiet" onPress={onClose}>
          Cancel
        </Button>
      </div>
      {isReady ? null : <p className="help">A voice needs a title and a recording.</p>}
    </>
  );
}
