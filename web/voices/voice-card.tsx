import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { ModelEntity } from "#protocol/voices";
import { ask } from "../api/request.js";
import { ConfirmedButton } from "../parts/confirmed-button.js";
import { EditVoice } from "./edit-voice.js";
import { VoicePreview } from "./voice-preview.js";
import { visibilityChoices } from "./voice-details.js";

interface VoiceCardProps {
  voice: ModelEntity;
  /** Whether it is the team's own: others cannot be changed. */
  isOwn: boolean;
}

/** One voice, and what can be done with it. */
export function VoiceCard({ voice, isOwn }: VoiceCardProps) {
  const [isEditing, setEditing] = useState(false);
  const { title, description, tags, languages, visibility, samples } = voice;
  const shown = visibilityChoices.find(({ value }) => value === visibility)?.label ?? visibility;
  const facts = [shown, ...languages, ...tags, usesOf(voice.task_count)];
  return (
    <li className="card">
      <h2>{title}</h2>
      {description === "" ? null : <p>{description}</p>}
      <p className="soft">{facts.join(" · ")}</p>
      <div className="actions">
        <VoicePreview voice={voice} />
        <Link className="button quiet" to="/speak" search={{ voice: voice._id }}>
          Speak with it
        </Link>
        {isOwn ? (
          <>
            <Button className="button quiet" aria-label={`Edit ${title}`} onPress={() => setEditing(true)}>
              Edit
            </Button>
            <DeleteVoice voice={voice} />
          </>
        ) : null}
      </div>
      <details>
        <summary>Recordings</summary>
        <ul className="samples">
          {samples.map((sample) => (
            <li key={sample.task_id}>
              {/* biome-ignore lint/a11y/useMediaCaption: its words stand below */}
              <audio controls preload="none" src={sample.audio} aria-label={`${sample.title} of ${title}`} />
              <p>{sample.text === "" ? "No words are known of it." : sample.text}</p>
            </li>
          ))}
        </ul>
        <p className="soft">
          Id <code>{voice._id}</code>
        </p>
      </details>
      {isEditing ? <EditVoice voice={voice} onClose={() => setEditing(false)} /> : null}
    </li>
  );
}

const usesOf = (count: number): string => `${count.toLocaleString("en")} ${count === 1 ? "use" : "uses"}`;

function DeleteVoice({ voice: { _id, title } }: { voice: ModelEntity }) {
  const queries = useQueryClient();
  return (
    <ConfirmedButton
      className="button danger"
      label="Delete"
      ariaLabel={`Delete ${title}`}
      title={`Delete ${title}?`}
      text="Its recordings are deleted with it, and programs that speak with it get an error."
      action="Delete it"
      run={() => ask<unknown>("DELETE", `/model/${_id}`)}
      onDone={() => queries.invalidateQueries({ queryKey: ["voices"] })}
    />
  );
}
