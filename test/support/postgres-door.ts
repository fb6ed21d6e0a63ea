import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A fixed address for a database. The server behind it can be exchanged. */
export interface Door extends AsyncDisposable {
  readonly url: string;
  /** Sends new connections to this target, and ends the existing ones. */
  leadTo(target: string): void;
}

export async function startDoor(target: string): Promise<Door> {
  let place = new URL(target);
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(Number(place.port || 5432), place.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.pipe(server).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = new URL(target);
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    leadTo(next) {
      place = new URL(next);
      endAll();
    },
    async [Symbol.asyncDispose]() {
      endAll();
      listener.close();
      await once(listener, 'close');
    },
  };
}
