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

/** One request that was answered. */
export interface TracedRequest {
  readonly method: string;
  readonly status: number;
  get(header: string): string;
  /** The route as it was declared, absent where none was met; and why the request was refused, where it was. */
  readonly state: { readonly requestId: string; readonly route?: string; readonly refused?: string };
}

/** Sends a span for what was done, once it is. */
export interface Tracing {
  /** The request joins the trace that its `traceparent` names. */
  request(request: TracedRequest, seconds: number): void;
  /** Milliseconds. */
  verifyBatch(batch: { readonly size: number; readonly took: number; readonly error?: unknown }): void;
  /** Sends what is not sent yet, as far as the collector takes it within two seconds. */
  close(): Promise<void>;
}

/** Milliseconds that the collector may take; a process that stops waits no longer. */
const patience = 2_000;

/**
 * Traces to an OTLP collector over HTTP (`<endpoint>/v1/traces`). Name, headers and sampling are as OpenTelemetry's own variables
 * say. What the collector does not take is dropped; requests never wait for it.
 */
export function createTracing(options: {
  readonly endpoint: string;
  readonly version: string;
  readonly clock: Clock;
}): Tracing {
  const { endpoint, version, clock } = options;
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: patience });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'latchkey', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: patience })],
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

/** The trace that a `traceparent` names; a new one where it names none (W3C Trace Context, version 00). */
function contextOf(traceparent: string): Context {
  const [, traceId = '', spanId = '', flags = ''] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent) ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}
