import { usePageTitle } from "../parts/page-title.js";
import { ActivityCard } from "./activity.js";
import { HealthCard } from "./health.js";
import { UsageCard } from "./usage.js";
import "./home.css";

/** The first page: how the service does, and what the team used. */
export function Home() {
  usePageTitle("Home");
  return (
    <>
      <h1>Home</h1>
      <div className="cards">
        <HealthCard />
        <ActivityCard />
        <UsageCard />
      </div>
    </>
  );
}
