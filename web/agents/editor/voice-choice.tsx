import { useQuery } from "@tanstack/react-query";
import type { ModelList } from "#protocol/voices";
import { agentSpeechModel } from "#protocol/agents/config-values";
import { ask } from "../../api/request.js";
import { SelectField } from "../../parts/select-field.js";
import { TextField } from "../../parts/text-field.js";
import { useSpeakers } from "../../voices/speakers.js";
import { problemAt } from "../problems.js";
import { valueAt } from "./draft-values.js";
import type { PartProps } from "./list-props.js";

/** The agent's voice: a saved one, a speaker of a model, or any by its id. */
export function VoiceChoice({ field: { path, label, help }, editor }: PartProps) {
  const { data } = useQuery({
    queryKey: ["voices to choose from"],
    queryFn: () => ask<ModelList>("GET", "/model?page_size=100"),
    staleTime: 60_000,
  });
  const chosen = String(valueAt(editor.values, path) ?? "");
  const saved = (data?.items ?? []).map(({ _id, title }) => ({ value: _id, label: title }));
  const voices = [...saved, ...useSpeakers(agentSpeechModel)];
  const isListed = chosen === "" || voices.some(({ value }) => value === chosen);
  const choices = [
    { value: "", label: "The service's own" },
    ...voices,
    ...(isListed ? [] : [{ value: chosen, label: `Another one: ${chosen}` }]),
  ];
  const change = (voiceId: string): void => editor.change(path, voiceId);
  return (
    <>
      <SelectField label={label} help={help} value={chosen} choices={choices} onChange={change} />
      <TextField
        label="Voice id"
        help="For a voice that is not listed."
        value={chosen}
        onChange={change}
        problem={problemAt(editor.problems, path)}
      />
    </>
  );
}
