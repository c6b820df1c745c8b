import { Server, ServerCredentials } from "@grpc/grpc-js";
import { type Field, fieldsOf } from "../harness/protobuf.js";

/** A span as it came over the wire. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the first of a trace. */
  parentSpanId: string;
  name: string;
  startNs: bigint;
  endNs: bigint;
  failed: boolean;
  attributes: Record<string, string | number | boolean>;
  /** `service.name` of its resource. */
  service: string;
}

/** An OpenTelemetry collector for tests: takes traces over OTLP and gRPC. */
export interface Collector {
  endpoint: string;
  spans: readonly ReceivedSpan[];
  /** Every request as it came, to search for what must not be in it. */
  raw: readonly Buffer[];
  stop(): void;
}

/**
 * Message numbers:
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
export async function startCollector(): Promise<Collector> {
  const raw: Buffer[] = [];
  const spans: ReceivedSpan[] = [];
  const server = new Server();
  const bytes = (value: Buffer): Buffer => value;
  const method = {
    path: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    requestStream: false,
    responseStream: false,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  };
  server.addService(
    { export: method },
    {
      export: (call: { request: Buffer }, answer: (error: null, response: Buffer) => void) => {
        raw.push(call.request);
        spans.push(...readRequest(call.request));
        answer(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { endpoint: `http://127.0.0.1:${port}`, spans, raw, stop: () => server.forceShutdown() };
}

const only = (fields: Field[], number: number): Field[] => fields.filter((field) => field.number === number);
const bytesOf = (fields: Field[], number: number): Buffer => only(fields, number)[0]?.bytes ?? Buffer.alloc(0);
const textOf = (fields: Field[], number: number): string => bytesOf(fields, number).toString();
const fixedOf = (fields: Field[], number: number): bigint => only(fields, number)[0]?.value ?? 0n;

function readRequest(request: Buffer): ReceivedSpan[] {
  return only(fieldsOf(request), 1).flatMap(({ bytes }) => {
    const resourceSpans = fieldsOf(bytes);
    const resource = attributesOf(fieldsOf(bytesOf(resourceSpans, 1)), 1);
    return only(resourceSpans, 2).flatMap((scope) =>
      only(fieldsOf(scope.bytes), 2).map((span) => readSpan(fieldsOf(span.bytes), String(resource["service.name"]))),
    );
  });
}

function readSpan(fields: Field[], service: string): ReceivedSpan {
  return {
    traceId: bytesOf(fields, 1).toString("hex"),
    spanId: bytesOf(fields, 2).toString("hex"),
    parentSpanId: bytesOf(fields, 4).toString("hex"),
    name: textOf(fields, 5),
    startNs: fixedOf(fields, 7),
    endNs: fixedOf(fields, 8),
    failed: fixedOf(fieldsOf(bytesOf(fields, 15)), 3) === 2n,
    attributes: attributesOf(fields, 9),
    service,
  };
}

function attributesOf(fields: Field[], number: number): Record<string, string | number | boolean> {
  return Object.fromEntries(
    only(fields, number).map(({ bytes }) => {
      const pair = fieldsOf(bytes);
      return [textOf(pair, 1), anyValueOf(fieldsOf(bytesOf(pair, 2)))];
    }),
  );
}

function anyValueOf(fields: Field[]): string | number | boolean {
  const [field] = fields;
  if (field === undefined) return "";
  if (field.number === 1) return field.bytes.toString();
  if (field.number === 2) return field.value === 1n;
  if (field.number === 4) return Buffer.from(new BigUint64Array([field.value]).buffer).readDoubleLE();
  return Number(field.value);
}
