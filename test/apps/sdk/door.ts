import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The behaviour of the connection to the license server, as a client meets it. */
type Mode = 'open' | 'hung' | 'cut' | ((response: ServerResponse) => void);

/** The headers that the door passes on. */
const passed = ['content-type', 'x-api-key', 'idempotency-key'];

/** A door between a client and a license server, which can be shut in several ways. */
export interface Door extends AsyncDisposable {
  readonly url: string;
  /** The paths of all requests so far, without their queries. */
  readonly calls: string[];
  set(mode: Mode): void;
  /** Shut for the next request only. */
  once(mode: Mode): void;
  /** Lets requests wait. Returns a function that lets them go on. */
  hold(): () => void;
}

export async function openDoor(target: () => string): Promise<Door> {
  let mode: Mode = 'open';
  let next: Mode | undefined;
  let held = Promise.resolve();
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    calls.push(`${request.method} ${request.url?.split('?')[0]}`);
    const now = next ?? mode;
    next = undefined;
    await held;
    if (now === 'hung') return;
    if (now === 'cut') return request.socket.destroy();
    if (now !== 'open') return now(response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await fetch(target() + request.url, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(
        passed.flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : [])),
      ),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    set(wanted) {
      mode = wanted;
    },
    once(wanted) {
      next = wanted;
    },
    hold() {
      let go = () => {};
      held = new Promise((resolve) => {
        go = resolve;
      });
      return go;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A mode that gives this answer. */
export function answering(status: number, body: unknown, headers: Record<string, string> = {}): Mode {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}
