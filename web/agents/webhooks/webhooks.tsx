import { Link, useParams } from "@tanstack/react-router";
import { DeliveryList } from "../../deliveries/delivery-list.js";

/** The tab with what was sent to the agent's webhooks. */
export function Webhooks() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId" });
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
      <DeliveryList agentId={agentId} whenEmpty="Nothing was sent yet. Add an address, publish, and hold a call." />
    </>
  );
}
