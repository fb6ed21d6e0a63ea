import type { IncomingMessage, ServerResponse } from 'node:http';

/** `GET /metrics` in Prometheus's text format, for a port that is not public. */
export function createMetricsListener(registry: { readonly contentType: string; metrics(): Promise<string> }) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'Content-Type': registry.contentType }).end(text);
    } catch {
      response.writeHead(503).end(); // A worker did not send its metrics in time.
    }
  };
}
