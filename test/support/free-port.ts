import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that is free, below those that outgoing connections take, so that none of them has it a moment later. */
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
      // Somebody has it.
    }
  }
}
