import { HealthCard } from "./health.js";
import "./home.css";

/** The first page: how the service does. */
export function Home() {
  return (
    <>
      <h1>Home</h1>
      <div className="cards">
        <HealthCard />
      </div>
    </>
  );
}
