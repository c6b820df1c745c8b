import { Link } from "@tanstack/react-router";
import { usePageTitle } from "../parts/page-title.js";
import { DeliveryList } from "./delivery-list.js";

/** What was sent to webhooks, of every agent of the team. */
export function Deliveries() {
  usePageTitle("Deliveries");
  return (
    <>
      <h1>Deliveries</h1>
      <p className="soft">
        What was sent to the webhooks of your <Link to="/agents">agents</Link>: one delivery for each event and address,
        newest first, kept for 30 days.
      </p>
      <DeliveryList whenEmpty="Nothing was sent yet. Add a webhook's address to an agent, publish it, and hold a call." />
    </>
  );
}
