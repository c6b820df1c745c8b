import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { type WebhookDeliveryList, webhookDeliveryStatuses } from "#protocol/webhooks";
import { usePages } from "../../api/pages.js";
import { MoreButton } from "../../parts/more-button.js";
import { SelectField } from "../../parts/select-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { choicesOf } from "../editor/config-field.js";
import { Delivery } from "./delivery.js";
import { DELIVERIES, deliveriesKey } from "./delivery-queries.js";

const RENEW_MS = 5000;

const statuses = [
  { value: "", label: "All" },
  ...choicesOf(webhookDeliveryStatuses, { pending: "On their way", delivered: "Delivered", failed: "Failed" }),
];

/** The tab with what was sent to the agent's webhooks, renewed by itself. */
export function Webhooks() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId" });
  const [status, setStatus] = useState("");
  const query = new URLSearchParams({ agent_id: agentId, ...(status === "" ? {} : { status }) });
  const key = [...deliveriesKey, String(query)];
  const pages = usePages<WebhookDeliveryList>(key, `${DELIVERIES}?${query}`, { renewMs: RENEW_MS });
  const deliveries = pages.data?.pages.flatMap((page) => page.deliveries);
  return (
    <>
      <h2>What was sent</h2>
      <p className="soft">
        One delivery for each event and address, kept for 30 days. The addresses stand in the{" "}
        <Link to="/agents/$agentId" params={{ agentId }} hash="webhooks">
          configuration
        </Link>
        ; calls use those of the version that they run, and previews send nothing.
      </p>
      <div className="filters">
        <SelectField label="Which" value={status} choices={statuses} onChange={setStatus} />
      </div>
      {pages.error === null ? null : <FailureNote doing="The deliveries cannot be read" error={pages.error} />}
      {deliveries === undefined ? null : deliveries.length === 0 ? (
        <p className="note">
          {status === ""
            ? "Nothing was sent yet. Add an address, publish, and hold a call."
            : "There is no delivery of this kind."}
        </p>
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
