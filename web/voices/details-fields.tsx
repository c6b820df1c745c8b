import { SelectField } from "../parts/select-field.js";
import { TextField } from "../parts/text-field.js";
import { type VoiceDetails, visibilityChoices } from "./voice-details.js";

interface DetailsFieldsProps {
  details: VoiceDetails;
  onChange: (details: VoiceDetails) => void;
}

/** What the user says of a voice. */
export function DetailsFields({ details, onChange }: DetailsFieldsProps) {
  return (
    <>
      <TextField
        label="Title"
        maxLength={256}
        value={details.title}
        onChange={(title) => onChange({ ...details, title })}
      />
      <TextField
        label="Description"
        lines={2}
        value={details.description}
        onChange={(description) => onChange({ ...details, description })}
      />
      <TextField
        label="Tags"
        help="With commas between them."
        value={details.tags}
        onChange={(tags) => onChange({ ...details, tags })}
      />
      <SelectField
        label="Who may use it"
        value={details.visibility}
        choices={visibilityChoices}
        onChange={(visibility) => onChange({ ...details, visibility })}
      />
    </>
  );
}
