import { modelTiers } from "#protocol/agents/config-values";
import { SelectField } from "../../parts/select-field.js";
import { TextField } from "../../parts/text-field.js";
import { problemAt } from "../problems.js";
import { choicesOf } from "./config-field.js";
import { valueAt } from "./draft-values.js";
import type { PartProps } from "./list-props.js";

interface OwnModel {
  base_url: string;
  model: string;
  /** Null keeps the stored one. */
  api_key: string | null;
}

const OWN = "own";
const choices = [
  ...choicesOf(modelTiers, {
    instant: "The service's: instant, answers fastest",
    medium: "The service's: medium",
    high: "The service's: high, thinks most",
  }),
  { value: OWN, label: "An endpoint of my own" },
];

/** What answers: a model of the service, or an endpoint of the team's own. */
export function LanguageModel({ field, editor }: PartProps) {
  const { label, help } = field;
  const own = (valueAt(editor.values, ["llm", "custom"]) ?? null) as OwnModel | null;
  const tier = String(valueAt(editor.values, ["llm", "tier"]));
  const problemOf = (...names: string[]): string | undefined => problemAt(editor.problems, ["llm", ...names]);
  const choose = (chosen: string): void => {
    if (chosen === OWN) editor.change(["llm"], { tier, custom: { base_url: "", model: "", api_key: null } });
    else editor.change(["llm"], { tier: chosen, custom: null });
  };
  const change = (part: Partial<OwnModel>): void => editor.change(["llm", "custom"], { ...own, ...part });
  return (
    <>
      <SelectField
        label={label}
        help={help}
        value={own === null ? tier : OWN}
        choices={choices}
        onChange={choose}
        problem={problemOf("tier") ?? problemOf("custom")}
      />
      {own === null ? null : (
        <div className="list-item">
          <TextField
            label="Address"
            help="What stands before /chat/completions; https."
            type="url"
            value={own.base_url}
            onChange={(base_url) => change({ base_url })}
            problem={problemOf("custom", "base_url")}
          />
          <TextField
            label="Model"
            value={own.model}
            onChange={(model) => change({ model })}
            problem={problemOf("custom", "model")}
          />
          <TextField
            label="Key"
            help="Never shown again. Empty keeps the one that is stored for this address."
            type="password"
            autoComplete="off"
            value={own.api_key ?? ""}
            onChange={(api_key) => change({ api_key: api_key === "" ? null : api_key })}
            problem={problemOf("custom", "api_key")}
          />
        </div>
      )}
    </>
  );
}
