import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  NodeTracerProvider,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-node";
import type { Logger } from "../log.js";
import { version } from "../version.js";
import type { FinishedSpan, Tracing } from "./span.js";
import type { TraceContext } from "./traceparent.js";

const CLOSE_MS = 2000;
/** Spans held while the collector is slow or away; the newest are dropped past it. */
const MAX_WAITING_SPANS = 8192;

const kinds = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL, consumer: SpanKind.CONSUMER };

/**
 * Sends spans to a collector in batches, over OTLP and gRPC. A collector that is away is said once, and costs the
 * requests nothing.
 */
export function startOtlp(options: { endpoint: string; role: string; id: string; log: Logger }): Tracing {
  const { endpoint, role, id, log } = options;
  // Our spans have their ids before OpenTelemetry learns of them: the ids have already travelled to other roles.
  let current: TraceContext | null = null;
  const idGenerator = { generateTraceId: () => current?.traceId ?? "", generateSpanId: () => current?.spanId ?? "" };
  const exporter = reporting(new OTLPTraceExporter({ url: endpoint }), log);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      "service.name": `parley-${role}`,
      "service.namespace": "parley",
      "service.instance.id": id,
      "service.version": version,
    }),
    sampler: new AlwaysOnSampler(),
    idGenerator,
    spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: MAX_WAITING_SPANS, scheduledDelayMillis: 1000 })],
  });
  const tracer = provider.getTracer("parley", version);
  return {
    enabled: true,
    record: (finished) => {
      if (!finished.context.sampled) return;
      current = finished.context;
      const { name, kind, startMs, attributes } = finished;
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], startTime: startMs, attributes: { ...attributes } },
        parentOf(finished),
      );
      if (finished.failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(finished.endMs);
    },
    close: async () => {
      const given = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([
        provider.shutdown().catch((error: unknown) => log.warn({ err: error }, "the last spans were not sent")),
        given,
      ]);
    },
  };
}

function parentOf({ context }: FinishedSpan): typeof ROOT_CONTEXT {
  const spanId = context.parentSpanId ?? null;
  if (spanId === null) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: context.traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

function reporting(exporter: SpanExporter, log: Logger): SpanExporter {
  let isAway = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !isAway) log.warn({ err: result.error }, "spans could not be sent to the collector");
        if (!failed && isAway) log.info("spans are sent to the collector again");
        isAway = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
