import type { Worker } from 'node:cluster';
import { createServer, type Socket } from 'node:net';
import { closePort } from '../../adapters/http/close-port.ts';
import { type ListenAt, listenAt } from '../../adapters/http/server.ts';
import { fromWorker, toWorker } from './worker-messages.ts';

/** A port whose connections go to the workers of this process. */
export interface SharedPort {
  readonly port: number;
  /** From now on, this worker gets connections, one at a time, until it ends. */
  add(worker: Worker): void;
  /** Whether this worker gets connections. */
  serves(worker: Worker): boolean;
  /** Closes the port. Resolves when each connection is on its way to a worker, or when no worker is left. */
  close(): Promise<void>;
}

/**
 * Opens a port for workers. Node's own way to share a port closes it when the last worker stops to listen, and loses
 * the connections that are on their way to a worker then. `most` connections can wait for a worker.
 */
export async function openSharedPort(place: ListenAt, most: number): Promise<SharedPort> {
  const workers = new Set<Worker>();
  // Workers that have confirmed their newest connection. The one that has been free for longest is the first.
  const free = new Set<Worker>();
  const waiting: Socket[] = [];
  let told: (() => void) | undefined;

  function share(): void {
    for (const worker of free) {
      if (!worker.isConnected()) continue;
      const socket = waiting.shift();
      if (socket === undefined) break;
      free.delete(worker);
      // If the worker has just died, the connection is lost with it.
      worker.send(toWorker.connection, socket, (error) => error && socket.destroy());
    }
    if (waiting.length === 0 || workers.size === 0) told?.();
  }

  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
    waiting.push(socket);
    share();
  });
  server.maxConnections = most;
  const { port } = await listenAt(server, place);
  return {
    port,
    add(worker) {
      workers.add(worker);
      free.add(worker);
      worker.on('message', (message: unknown) => {
        if (message !== fromWorker.took || !workers.has(worker)) return;
        free.add(worker);
        share();
      });
      worker.once('exit', () => {
        workers.delete(worker);
        free.delete(worker);
        share();
      });
      share();
    },
    serves: (worker) => workers.has(worker),
    async close() {
      await closePort(server, []);
      await new Promise<void>((resolve) => {
        told = resolve;
        share();
      });
      for (const socket of waiting) socket.destroy();
    },
  };
}
