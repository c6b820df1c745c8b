import { pino } from "pino";
import { connectNats } from "#common/bus/nats";
import { clickHouseEngine } from "#control-plane/analytics/clickhouse";
import { ingestUsage } from "#control-plane/analytics/ingestion";
import { migrateAnalytics } from "#control-plane/analytics/migrations";
import { ingestSpans } from "#control-plane/analytics/span-ingestion";
import { noTelemetry } from "#control-plane/telemetry/control-telemetry";

/**
 * Takes usage, or spans, off the bus into ClickHouse until it is killed; tells its parent after each insert how many
 * there were.
 */
const [natsUrl = "", clickHouseUrl = "", what = "usage"] = process.argv.slice(2);
const log = pino({ level: "silent" });
const engine = clickHouseEngine(clickHouseUrl);
await migrateAnalytics(engine);
const bus = await connectNats({ url: natsUrl, name: "consumer", log });
const report = (count: number): void => void process.send?.({ count });
const telemetry = { ...noTelemetry, analyticsRows: report, analyticsSpans: report };
const subscription = (what === "spans" ? ingestSpans : ingestUsage)({ bus, engine, log, telemetry, lingerMs: 5 });
await subscription.ready;
process.send?.({ count: 0 });
process.on("disconnect", () => process.exit(0));
