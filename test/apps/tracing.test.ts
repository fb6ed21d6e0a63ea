import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { needing, skipLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A collector that records what it receives. */
async function startCollector(status = 200) {
  const requests: { readonly path: string | undefined; readonly service: unknown; readonly spans: readonly Span[] }[] =
    [];
  const server = createServer(async (request, response) => {
    // biome-ignore lint/suspicious/noExplicitAny: a document in the format of OTLP
    const { resourceSpans }: any = await json(request);
    const [{ resource, scopeSpans }] = resourceSpans;
    const service = resource.attributes.find(({ key }: { key: string }) => key === 'service.name').value.stringValue;
    // biome-ignore lint/suspicious/noExplicitAny: a document in the format of OTLP
    requests.push({ path: request.url, service, spans: scopeSpans.flatMap(({ spans }: any) => spans) });
    response.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () => requests.flatMap(({ spans }) => spans),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

needing(skipLong).describe('tracing', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  it('sends a span for each request, with route and status, and for each batch, before the process ends', async () => {
    await using collector = await startCollector();
    const server = await startServer({
      DATABASE_URL: `sqlite:${folder.file('traced.db')}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_SERVICE_NAME: 'our-latchkey',
    });
    const [traceId, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    await fetch(`${server.url}/verify?license_key=LIC-0000-0000-0000-0000&domain=example.com`, {
      headers: { traceparent: `00-${traceId}-${parent}-01`, 'X-Request-Id': 'abc' },
    });
    await fetch(`${server.url}/nowhere`, { headers: { traceparent: 'nonsense' } });
    expect(await server.stop('SIGTERM')).to.equal(0);

    expect(collector.requests.map(({ path, service }) => [path, service])).to.deep.equal([
      ['/v1/traces', 'our-latchkey'],
    ]);
    const [batch, verify, lost, ...more] = collector.spans();
    if (!batch || !verify || !lost) throw new Error('Spans are missing.');
    expect(more).to.deep.equal([]);
    expect([batch.name, attributesOf(batch)]).to.deep.equal(['verify batch', { 'latchkey.batch_size': 1 }]);
    expect([verify.name, attributesOf(verify)]).to.deep.equal([
      'GET /verify',
      {
        'http.request.method': 'GET',
        'http.response.status_code': 404,
        'http.route': '/verify',
        'latchkey.request_id': 'abc',
        'latchkey.refused': 'invalid_key',
      },
    ]);
    expect([verify.traceId, verify.parentSpanId]).to.deep.equal([traceId, parent]);
    expect(BigInt(verify.endTimeUnixNano) > BigInt(verify.startTimeUnixNano)).to.equal(true);
    expect([lost.name, attributesOf(lost)['http.response.status_code']]).to.deep.equal(['GET', 404]);
    expect(lost.traceId).to.not.equal(traceId);
  });

  it('delays no request and no stop if the collector is unreachable', async () => {
    const { url, ...collector } = await startCollector();
    await collector[Symbol.asyncDispose]();
    const server = await startServer({
      DATABASE_URL: `sqlite:${folder.file('out.db')}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
    });
    expect((await fetch(`${server.url}/health/ready`)).status).to.equal(200);
    expect(await server.stop('SIGTERM')).to.equal(0);
  });

  it('does not load OpenTelemetry if no collector is configured', async () => {
    const program = `
      import { createRequire } from 'node:module';
      import { compose } from './dist/apps/wiring/compose.js';
      import { readConfig } from './dist/apps/wiring/config.js';
      import { t } from './dist/apps/wiring/tokens.js';
      const parts = await compose(readConfig());
      await parts.get(t.listener);
      await parts.close();
      const loaded = Object.keys(createRequire(process.cwd() + '/').cache);
      console.log(loaded.filter((path) => /@opentelemetry.(?!api.)/.test(path)).length);`;
    const loaded = async (OTEL_EXPORTER_OTLP_ENDPOINT: string) => {
      const settings = { DATABASE_URL: 'memory:', FILES_URL: 'temporary:', LOG_LEVEL: 'silent' };
      const env = { PATH: process.env.PATH, ...settings, OTEL_EXPORTER_OTLP_ENDPOINT };
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: root, env });
      return Number(stdout);
    };
    expect(await loaded('')).to.equal(0);
    expect(await loaded('http://127.0.0.1:1')).to.be.greaterThan(0);
  });
});
