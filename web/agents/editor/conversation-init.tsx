import { Button } from "react-aria-components/Button";
import { NumberField } from "../../parts/number-field.js";
import { problemAt } from "../problems.js";
import { valueAt } from "./draft-values.js";
import type { PartProps } from "./list-props.js";
import { type Webhook, WebhookFields } from "./webhook-fields.js";

interface InitWebhook extends Webhook {
  timeout_seconds?: number | null;
}

/** The address that is asked before a call, or none. */
export function ConversationInit({ field, editor }: PartProps) {
  const { path, label, help } = field;
  const webhook = (valueAt(editor.values, path) ?? null) as InitWebhook | null;
  const problemOf = (name: string): string | undefined => problemAt(editor.problems, [...path, name]);
  return (
    <fieldset className="list-field">
      <legend>{label}</legend>
      <p className="help">{help}</p>
      {webhook === null ? (
        <Button className="button quiet" onPress={() => editor.change(path, { url: "", timeout_seconds: 5 })}>
          Add an address
        </Button>
      ) : (
        <div className="list-item">
          <WebhookFields webhook={webhook} change={(changed) => editor.change(path, changed)} problemOf={problemOf} />
          <NumberField
            label="Wait for its answer, seconds"
            help="From 1 to 8."
            value={webhook.timeout_seconds ?? null}
            onChange={(timeout_seconds) => editor.change(path, { ...webhook, timeout_seconds })}
            problem={problemOf("timeout_seconds")}
          />
          <Button className="button quiet" onPress={() => editor.change(path, null)}>
            Remove the address
          </Button>
        </div>
      )}
    </fieldset>
  );
}
