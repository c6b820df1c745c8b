import { SwitchField } from "../../parts/switch-field.js";
import { TextField } from "../../parts/text-field.js";

/** A webhook of the draft; its secret is there only once somebody has entered one, or empty to remove the stored one. */
export interface Webhook {
  url: string;
  has_secret?: boolean;
  secret?: string | null | undefined;
}

interface WebhookFieldsProps {
  webhook: Webhook;
  change: (part: Webhook) => void;
  problemOf: (name: string) => string | undefined;
}

/** Address and secret of a webhook. Stored secrets are never shown. */
export function WebhookFields({ webhook, change, problemOf }: WebhookFieldsProps) {
  const isRemoved = webhook.secret === "";
  const withoutSecret = (): Webhook => {
    const { secret: _, ...rest } = webhook;
    return rest;
  };
  return (
    <>
      <TextField
        label="Address"
        type="url"
        value={webhook.url}
        onChange={(url) => change({ ...webhook, url })}
        problem={problemOf("url")}
      />
      <TextField
        label="Secret"
        help={
          webhook.has_secret === true
            ? "One is stored for the address as it was saved. Empty keeps it."
            : "Signs every request, so that you can tell ours from others'."
        }
        type="password"
        autoComplete="off"
        isDisabled={isRemoved}
        value={webhook.secret ?? ""}
        onChange={(secret) => change(secret === "" ? withoutSecret() : { ...webhook, secret })}
        problem={problemOf("secret")}
      />
      {webhook.has_secret === true ? (
        <SwitchField
          label="Remove the stored secret"
          isOn={isRemoved}
          onChange={(isOn) => change(isOn ? { ...webhook, secret: "" } : withoutSecret())}
        />
      ) : null}
    </>
  );
}
