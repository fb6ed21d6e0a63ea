import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * The fate of a request. `passed`: it is passed on. `lost`: it is passed on, but its answer is lost. `cut`: its
 * connection is closed. `hung`: nobody answers. With a status and a code, it is refused.
 */
export type Fate = 'passed' | 'lost' | 'cut' | 'hung' | { readonly status: number; readonly code: string };

/** A proxy between a storage and its server. The test decides the fate of each request. */
export interface S3Proxy {
  readonly endpoint: string;
  /** Sets the function that decides each request from now on. */
  decide(fateOf: (request: IncomingMessage) => Fate): void;
  close(): Promise<void>;
}

export async function startS3Proxy(target: string): Promise<S3Proxy> {
  let fateOf: (request: IncomingMessage) => Fate = () => 'passed';
  const server = createServer((incoming, outgoing) => {
    const fate = fateOf(incoming);
    if (fate === 'cut') incoming.socket.destroy();
    else if (fate === 'passed' || fate === 'lost') void pass(target, incoming, outgoing, fate);
    else if (fate !== 'hung') {
      incoming.resume();
      outgoing.writeHead(fate.status, { 'content-type': 'application/xml' });
      outgoing.end(`<Error><Code>${fate.code}</Code><Message>as the test wants it</Message></Error>`);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    decide(next) {
      fateOf = next;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Passes on all headers unchanged, also `Host`, because the signature covers them. */
async function pass(target: string, incoming: IncomingMessage, outgoing: ServerResponse, fate: 'passed' | 'lost') {
  try {
    const { expect: _, ...headers } = incoming.headers;
    const onward = request(target + incoming.url, { method: incoming.method, headers });
    onward.end(await buffer(incoming));
    const [answer] = (await once(onward, 'response')) as [IncomingMessage];
    const body = await buffer(answer);
    if (fate === 'lost') incoming.socket.destroy();
    else outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
  } catch {
    incoming.socket.destroy();
  }
}
