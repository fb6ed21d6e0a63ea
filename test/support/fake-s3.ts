import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A fake S3 server. The test chooses its answers. */
export interface FakeS3 {
  readonly endpoint: string;
  /** Method and path of each request so far. */
  readonly asked: string[];
  /** The listener for all requests from now on. The default is `list`. */
  answer: Answer;
  close(): Promise<void>;
}

export async function startFakeS3(answer: Answer = list): Promise<FakeS3> {
  const server = createServer((request, response) => {
    fake.asked.push(`${request.method} ${request.url}`);
    fake.answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeS3 = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    answer,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

export const xml = (response: ServerResponse, status: number, body: string) =>
  response.writeHead(status, { 'Content-Type': 'application/xml' }).end(body);

export const hangs: Answer = () => undefined;

/** Answers with an empty bucket named `files`. */
export const list: Answer = (_, response) =>
  xml(response, 200, '<ListBucketResult><Name>files</Name><KeyCount>0</KeyCount></ListBucketResult>');

export const refusal =
  (status: number, code: string): Answer =>
  (request, response) => {
    request.resume();
    xml(response, status, `<Error><Code>${code}</Code><Message>as the test wants it</Message></Error>`);
  };

/** An empty bucket that accepts every PUT. */
export const takesAll: Answer = (request, response) => {
  request.resume();
  request.once('end', () => {
    if (request.method === 'HEAD') response.writeHead(404).end();
    else response.writeHead(request.method === 'DELETE' ? 204 : 200).end();
  });
};

/** A bucket named `files` that keeps what it gets, and never lists it. */
export function keepsAll(): Answer {
  const objects = new Map<string, Buffer>();
  return async (request, response) => {
    const { pathname: name, searchParams } = new URL(request.url ?? '', 'http://x');
    if (request.method === 'GET' && searchParams.has('list-type')) return list(request, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method === 'PUT') objects.set(name, Buffer.concat(chunks));
    if (request.method === 'DELETE') objects.delete(name);
    const kept = objects.get(name);
    if (request.method === 'PUT') return response.writeHead(200, { ETag: '"kept"' }).end();
    if (request.method === 'DELETE') return response.writeHead(204).end();
    if (kept === undefined) return xml(response, 404, '<Error><Code>NoSuchKey</Code><Message>gone</Message></Error>');
    return response.writeHead(200, { 'Content-Length': kept.length }).end(request.method === 'HEAD' ? '' : kept);
  };
}
