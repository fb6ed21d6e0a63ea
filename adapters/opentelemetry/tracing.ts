import {
  type Attributes,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Clock } from '../../core/ports/clock.ts';

/** One finished request. */
export interface TracedRequest {
  readonly method: string;
  readonly status: number;
  get(header: string): string;
  /** `route` is the declared path, absent if no route matched. `refused` is the reason of a refusal. */
  readonly state: { readonly requestId: string; readonly route?: string; readonly refused?: string };
}

/** Sends a span for each finished piece of work. */
export interface Tracing {
  /** Adds the request to the trace of its `traceparent` header. */
  request(request: TracedRequest, seconds: number): void;
  /** `took` is in milliseconds. */
  verifyBatch(batch: { readonly size: number; readonly took: number; readonly error?: unknown }): void;
  /** Sends the remaining spans. Gives up after two seconds. */
  close(): Promise<void>;
}

/** The timeout for the collector in milliseconds, also when the process stops. */
const exportTimeout = 2_000;

/**
 * Sends traces to an OTLP collector over HTTP (`<endpoint>/v1/traces`). OpenTelemetry's own environment variables set
 * the service name, headers and sampling. Spans that cannot be delivered are dropped. Requests never wait for the
 * collector.
 */
export function createTracing(options: {
  readonly endpoint: string;
  readonly version: string;
  readonly clock: Clock;
}): Tracing {
  const { endpoint, version, clock } = options;
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeout });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'latchkey', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: exportTimeout })],
  });
  const tracer = provider.getTracer('latchkey', version);

  function record(
    name: string,
    span: {
      readonly kind: SpanKind;
      readonly took: number;
      readonly attributes: Attributes;
      readonly failed: boolean;
    },
    parent: Context,
  ): void {
    const { kind, took, attributes, failed } = span;
    const end = clock.now();
    const made = tracer.startSpan(name, { kind, attributes, startTime: end - took }, parent);
    if (failed) made.setStatus({ code: SpanStatusCode.ERROR });
    made.end(end);
  }

  return {
    request(request, seconds) {
      const { method, status } = request;
      const { requestId, route, refused } = request.state;
      const attributes: Attributes = {
        'http.request.method': method,
        'http.response.status_code': status,
        'latchkey.request_id': requestId,
        ...(route !== undefined && { 'http.route': route }),
        ...(refused !== undefined && { 'latchkey.refused': refused }),
      };
      const name = route === undefined ? method : `${method} ${route}`;
      const span = { kind: SpanKind.SERVER, took: seconds * 1000, attributes, failed: status >= 500 };
      record(name, span, contextOf(request.get('traceparent')));
    },
    verifyBatch({ size, took, error }) {
      const attributes = { 'latchkey.batch_size': size };
      const failed = error !== undefined;
      record('verify batch', { kind: SpanKind.INTERNAL, took, attributes, failed }, ROOT_CONTEXT);
    },
    close: () => provider.shutdown().catch(() => undefined),
  };
}

/**
 * Returns the trace of a `traceparent` header (W3C Trace Context, version 00), or a new one if it is missing or wrong.
 */
function contextOf(traceparent: string): Context {
  const [, traceId = '', spanId = '', flags = ''] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}
