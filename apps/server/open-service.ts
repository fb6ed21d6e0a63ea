import type { RequestListener } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { createHttpServer } from '../../adapters/http/server.ts';
import type { Parts } from '../wiring/compose.ts';
import { atPort, type Config } from '../wiring/config.ts';
import { t } from '../wiring/tokens.ts';

/** Milliseconds that a service gets to close what it had opened when its start failed. */
const patience = 5_000;

/** A service that answers on a port. */
export interface OpenService {
  readonly parts: Parts;
  readonly address: string;
  readonly port: number;
  /** Says that it is not ready any more, and ends connections with their next answers. It still accepts new ones. */
  drain(): Promise<void>;
  /** Lets what is in flight finish within so many milliseconds, and `others` that use its parts, then closes everything. */
  close(grace: number, others?: Promise<unknown>): Promise<void>;
}

/**
 * Takes the port, then makes the service, which must know its own address; requests that come in between wait. Where
 * anything of it fails, nothing stays open.
 */
export async function openService(
  wanted: Config,
  compose: (config: Config) => Promise<Parts>,
  host = wanted.HOST,
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
  });
  const { address, port } = await server.listen(wanted.PORT, host);
  let parts: Parts | undefined;
  const endReadiness = async () => {
    await parts?.get(t.lifecycle).then((lifecycle) => lifecycle.stop());
  };
  const drain = async () => {
    await endReadiness();
    server.drain();
  };
  const close = async (grace: number, others?: Promise<unknown>) => {
    await endReadiness();
    await Promise.all([server.close(grace), others]);
    await parts?.close();
  };
  try {
    parts = await compose(atPort(wanted, port));
    answer = await parts.get(t.listener);
    ready(answer);
    return { parts, address, port, drain, close };
  } catch (error) {
    // What failed to be made fails again when it is closed; the first error is the one to tell.
    await Promise.race([close(0).catch(() => undefined), setTimeout(patience, undefined, { ref: false })]);
    throw error;
  }
}
