import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { WebhookDelivery, WebhookDeliveryDetail } from "#protocol/webhooks";
import { ask } from "../api/request.js";
import { CopyBlock } from "../parts/copy-block.js";
import { FailureNote } from "../shell/failure-note.js";
import { momentText } from "../parts/time-text.js";
import { Attempts } from "./attempts.js";
import { DELIVERIES, deliveriesKey, deliveryQuery } from "./delivery-queries.js";

/** How a delivery is, in words. */
export const statusWords = { pending: "On its way", delivered: "Delivered", failed: "Failed" } as const;

/** One event on its way to one address, and sending it again. */
export function Delivery({ delivery }: { delivery: WebhookDelivery }) {
  const [isBodyShown, setIsBodyShown] = useState(false);
  const queries = useQueryClient();
  const { delivery_id: id, event, url, status, attempts, redelivery_of: first } = delivery;
  const again = useMutation({
    mutationFn: () => ask<WebhookDeliveryDetail>("POST", `${DELIVERIES}/${id}/redeliver`),
    onSuccess: () => queries.invalidateQueries({ queryKey: deliveriesKey }),
  });
  return (
    <>
      <h3>
        {event} <span className={`state ${status}`}>{statusWords[status]}</span>
      </h3>
      <p>{url}</p>
      <p className="soft">
        {momentText(delivery.created_at)}, call{" "}
        <Link to="/calls/$sessionId" params={{ sessionId: delivery.session_id }}>
          <code>{delivery.session_id}</code>
        </Link>
        {first === null ? "" : ", sent again by hand"}.
      </p>
      {attempts.length === 0 ? <p>No attempt yet.</p> : <Attempts attempts={attempts} />}
      {again.error === null ? null : <FailureNote doing="It was not sent again" error={again.error} />}
      <div className="actions">
        <Button className="button quiet" aria-expanded={isBodyShown} onPress={() => setIsBodyShown(!isBodyShown)}>
          {isBodyShown ? "Hide the body" : "Show the body"}
        </Button>
        {status === "pending" ? null : (
          <Button className="button quiet" isDisabled={again.isPending} onPress={() => again.mutate()}>
            Send again
          </Button>
        )}
      </div>
      {isBodyShown ? <Body deliveryId={id} /> : null}
    </>
  );
}

function Body({ deliveryId }: { deliveryId: string }) {
  const { data, error } = useQuery(deliveryQuery(deliveryId));
  if (data === undefined) return error === null ? null : <FailureNote doing="It cannot be read" error={error} />;
  return (
    <div className="after">
      <CopyBlock label="Body, to the byte" text={data.body} />
    </div>
  );
}
