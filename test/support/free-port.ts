import { once } from 'node:events';
import { createServer } from 'node:net';

/** Returns a free port. It is below the range of outgoing connections, so that none of them takes it a moment later. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      return port;
    } catch {
      // The port is in use.
    }
  }
}
