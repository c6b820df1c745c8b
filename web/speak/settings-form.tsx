import { useQuery } from "@tanstack/react-query";
import { audioFormats, type SpeechModel, speechModels } from "#protocol/speech/request";
import type { ModelList } from "#protocol/voices";
import { ask } from "../api/request.js";
import { NumberField } from "../parts/number-field.js";
import { SelectField } from "../parts/select-field.js";
import { useScope } from "../session/scope.js";
import { useSpeakers } from "../voices/speakers.js";
import type { SpeakSettings } from "./settings.js";

const models = speechModels.map((value) => ({ value, label: value }));
const formats = audioFormats.map((value) => ({ value, label: value.toUpperCase() }));
const latencies = [
  { value: "", label: "Default" },
  { value: "low", label: "Low: begin early" },
  { value: "balanced", label: "Balanced" },
  { value: "normal", label: "Normal: whole sentences" },
] as const;

interface SettingsFormProps {
  settings: SpeakSettings;
  onChange: (part: Partial<SpeakSettings>) => void;
}

/** Who speaks, and how. */
export function SettingsForm({ settings, onChange }: SettingsFormProps) {
  return (
    <>
      <div className="setting-fields">
        <VoiceField voice={settings.voice} model={settings.model} onChange={(voice) => onChange({ voice })} />
        <SelectField label="Model" value={settings.model} choices={models} onChange={(model) => onChange({ model })} />
        <SelectField
          label="Format of the file"
          value={settings.format}
          choices={formats}
          onChange={(format) => onChange({ format })}
        />
      </div>
      <details>
        <summary>How it is spoken</summary>
        <div className="setting-fields">
          <NumberField
            label="Speed"
            help="0.5 to 2; pitch stays."
            value={settings.speed}
            minValue={0.5}
            maxValue={2}
            step={0.05}
            onChange={(speed) => onChange({ speed })}
          />
          <NumberField
            label="Volume, dB"
            help="-20 to 20."
            value={settings.volumeDb}
            minValue={-20}
            maxValue={20}
            step={0.5}
            onChange={(volumeDb) => onChange({ volumeDb })}
          />
          <SelectField
            label="Latency"
            help="How early text is cut."
            value={settings.latency}
            choices={latencies}
            onChange={(latency) => onChange({ latency })}
          />
          <NumberField
            label="Temperature"
            help="0 (steady) to 1 (lively); 0.7 when empty."
            value={settings.temperature}
            minValue={0}
            maxValue={1}
            step={0.05}
            onChange={(temperature) => onChange({ temperature })}
          />
          <NumberField
            label="Top p"
            help="0 to 1: how far readings may differ; 0.7 when empty."
            value={settings.topP}
            minValue={0}
            maxValue={1}
            step={0.05}
            onChange={(topP) => onChange({ topP })}
          />
          <NumberField
            label="Repetition penalty"
            help="0 to 10; 1.2 when empty."
            value={settings.repetitionPenalty}
            minValue={0}
            maxValue={10}
            step={0.1}
            onChange={(repetitionPenalty) => onChange({ repetitionPenalty })}
          />
        </div>
      </details>
    </>
  );
}

interface VoiceFieldProps {
  voice: string;
  model: SpeechModel;
  onChange: (voice: string) => void;
}

function VoiceField({ voice, model, onChange }: VoiceFieldProps) {
  const mayList = useScope("voices");
  const { data } = useQuery({
    queryKey: ["voices", "all of the team"],
    queryFn: () => ask<ModelList>("GET", "/model?self=true&page_size=100"),
    enabled: mayList,
  });
  const own = (data?.items ?? []).map(({ _id, title }) => ({ value: _id, label: title }));
  const voices = [...own, ...useSpeakers(model)];
  const isKnown = voice === "" || voices.some(({ value }) => value === voice);
  const choices = [
    { value: "", label: "Model's own" },
    ...voices,
    // One that an address named, of another team perhaps.
    ...(isKnown ? [] : [{ value: voice, label: `Voice ${voice}` }]),
  ];
  return (
    <SelectField
      label="Voice"
      help={mayList ? undefined : "This key may not list the team's voices."}
      value={voice}
      choices={choices}
      onChange={onChange}
    />
  );
}
