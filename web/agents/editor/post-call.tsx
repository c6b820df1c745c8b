import { ListField } from "../../parts/list-field.js";
import { listProps, type PartProps } from "./list-props.js";
import { type Webhook, WebhookFields } from "./webhook-fields.js";

/** Addresses that get what happened in each call. */
export function PostCall(props: PartProps) {
  const { shared, problemOf } = listProps<Webhook>(props);
  const { items, onChange } = shared;
  return (
    <ListField {...shared} noun="webhook" newItem={() => ({ url: "" })}>
      {(webhook, _, index) => (
        <WebhookFields
          webhook={webhook}
          change={(changed) => onChange(items.map((item, at) => (at === index ? changed : item)))}
          problemOf={(name) => problemOf(index, name)}
        />
      )}
    </ListField>
  );
}
