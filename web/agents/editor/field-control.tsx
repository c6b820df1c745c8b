import { NumberField } from "../../parts/number-field.js";
import { SelectField } from "../../parts/select-field.js";
import { SwitchField } from "../../parts/switch-field.js";
import { TextField } from "../../parts/text-field.js";
import { problemAt } from "../problems.js";
import type { ConfigField } from "./config-field.js";
import { ConversationInit } from "./conversation-init.js";
import { Criteria } from "./criteria.js";
import { DataFields } from "./data-fields.js";
import { Destinations } from "./destinations.js";
import { valueAt } from "./draft-values.js";
import type { Editor } from "./editor.js";
import { LanguageModel } from "./language-model.js";
import { PostCall } from "./post-call.js";
import { VoiceChoice } from "./voice-choice.js";

/** A field of the draft, ready to be changed. */
export function FieldControl({ field, editor }: { field: ConfigField; editor: Editor }) {
  const { path, label, help } = field;
  const value = valueAt(editor.values, path);
  const shared = { label, help, problem: problemAt(editor.problems, path) };
  const change = (changed: unknown): void => editor.change(path, changed);
  switch (field.kind) {
    case "text":
      return <TextField {...shared} value={String(value ?? "")} onChange={change} />;
    case "lines":
      return <TextField {...shared} lines={field.lines} value={String(value ?? "")} onChange={change} />;
    case "number":
      return <NumberField {...shared} value={typeof value === "number" ? value : null} onChange={change} />;
    case "switch":
      return <SwitchField {...shared} isOn={value === true} onChange={change} />;
    case "choice":
      return <SelectField {...shared} value={String(value)} choices={field.choices} onChange={change} />;
    case "voice":
      return <VoiceChoice field={field} editor={editor} />;
    case "model":
      return <LanguageModel field={field} editor={editor} />;
    case "conversation-init":
      return <ConversationInit field={field} editor={editor} />;
    case "post-call":
      return <PostCall field={field} editor={editor} />;
    case "destinations":
      return <Destinations field={field} editor={editor} />;
    case "data-fields":
      return <DataFields field={field} editor={editor} />;
    case "criteria":
      return <Criteria field={field} editor={editor} />;
  }
}
