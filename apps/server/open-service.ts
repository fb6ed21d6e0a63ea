import type { RequestListener } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { createClientAddress } from '../../adapters/http/client-address.ts';
import { createHttpServer, type HttpServer } from '../../adapters/http/server.ts';
import type { Parts } from '../wiring/compose.ts';
import { atPort, type Config } from '../wiring/config.ts';
import { t } from '../wiring/tokens.ts';
import { keepDelivering, keepWorking } from './queues.ts';

/** The limit for closing the opened parts after a failed start, in milliseconds. */
const patience = 5_000;

/** A running service with its port. */
export interface OpenService {
  readonly parts: Parts;
  readonly address: string;
  readonly port: number;
  /** Reports that it is not ready, and closes each connection after its next answer. Still accepts new connections. */
  drain(): Promise<void>;
  /**
   * Waits up to `grace` milliseconds for requests in flight, and for `others` that use its parts. Then closes
   * everything.
   */
  close(grace: number, others?: Promise<unknown>): Promise<void>;
}

/**
 * Opens the port first, because the service must know its own port. Then creates the service. Requests that arrive
 * before that wait. If the start fails, closes everything. `where` is the host for PORT, or opens the port itself.
 */
export async function openService(
  wanted: Config,
  compose: (config: Config) => Promise<Parts>,
  where: string | ((server: HttpServer) => Promise<Pick<OpenService, 'address' | 'port'>>) = wanted.HOST,
): Promise<OpenService> {
  let ready: (listener: RequestListener) => void = () => undefined;
  const listener = new Promise<RequestListener>((resolve) => {
    ready = resolve;
  });
  let answer: RequestListener = async (request, response) => (await listener)(request, response);
  const server = createHttpServer((request, response) => answer(request, response), {
    request: wanted.REQUEST_TIMEOUT * 1000,
    stall: wanted.STALL_TIMEOUT * 1000,
    connections: wanted.MAX_CONNECTIONS,
    pipelined: wanted.MAX_PIPELINED,
    unread: wanted.MAX_UNREAD * 1_000_000,
    clientAddress: createClientAddress(wanted.TRUSTED_PROXIES),
  });
  const open = typeof where === 'string' ? server.listen(wanted.PORT, where) : where(server);
  const { address, port } = await open;
  let parts: Parts | undefined;
  const endReadiness = async () => {
    await parts?.get(t.lifecycle).then((lifecycle) => lifecycle.stop());
  };
  let endWork: () => Promise<void> = async () => undefined;
  const drain = async () => {
    await endReadiness();
    server.drain();
  };
  const close = async (grace: number, others?: Promise<unknown>) => {
    await endReadiness();
    await Promise.all([server.close(grace), others, endWork()]);
    await parts?.close();
  };
  try {
    parts = await compose(atPort(wanted, port));
    answer = await parts.get(t.listener);
    const ends = [await keepWorking(parts), await keepDelivering(parts)];
    endWork = async () => void (await Promise.all(ends.map((end) => end())));
    ready(answer);
    return { parts, address, port, drain, close };
  } catch (error) {
    // Closing a part that could not be created fails again. Only the first error is useful.
    await Promise.race([close(0).catch(() => undefined), setTimeout(patience, undefined, { ref: false })]);
    throw error;
  }
}
