import { useState } from "react";
import { type WebhookDeliveryList, webhookDeliveryStatuses } from "#protocol/webhooks";
import { usePages } from "../api/pages.js";
import { MoreButton } from "../parts/more-button.js";
import { SelectField } from "../parts/select-field.js";
import { FailureNote } from "../shell/failure-note.js";
import { Delivery, statusWords } from "./delivery.js";
import { DELIVERIES, deliveriesKey } from "./delivery-queries.js";

const RENEW_MS = 5000;

const choices = [
  { value: "", label: "All" },
  ...webhookDeliveryStatuses.map((value) => ({
    value,
    label: value === "pending" ? "On their way" : statusWords[value],
  })),
];

interface DeliveryListProps {
  /** Whose calls they are of; every agent's when absent. */
  agentId?: string;
  /** The one call that they are of; every call when absent. */
  sessionId?: string;
  /** What to say where nothing was sent. */
  whenEmpty: string;
}

/** The team's deliveries, or those of an agent's calls, or of one call; renewed by itself. */
export function DeliveryList({ agentId, sessionId, whenEmpty }: DeliveryListProps) {
  const [status, setStatus] = useState("");
  const query = new URLSearchParams({
    ...(agentId === undefined ? {} : { agent_id: agentId }),
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(status === "" ? {} : { status }),
  });
  const key = [...deliveriesKey, String(query)];
  const pages = usePages<WebhookDeliveryList>(key, `${DELIVERIES}?${query}`, { renewMs: RENEW_MS });
  const deliveries = pages.data?.pages.flatMap((page) => page.deliveries);
  return (
    <>
      <div className="filters">
        <SelectField label="Which" value={status} choices={choices} onChange={setStatus} />
      </div>
      {pages.error === null ? null : <FailureNote doing="The deliveries cannot be read" error={pages.error} />}
      {deliveries === undefined ? null : deliveries.length === 0 ? (
        <p className="note">{status === "" ? whenEmpty : "There is no delivery of this kind."}</p>
      ) : (
        <ul className="records wide">
          {deliveries.map((delivery) => (
            <li key={delivery.delivery_id} className="card">
              <Delivery delivery={delivery} />
            </li>
          ))}
        </ul>
      )}
      <MoreButton pages={pages} />
    </>
  );
}
