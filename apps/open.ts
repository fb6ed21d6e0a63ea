import type { RequestListener } from 'node:http';
import { createHttpServer } from '../adapters/http/server.ts';
import type { Parts } from './compose.ts';
import { atPort, type Config } from './config.ts';
import { t } from './tokens.ts';

/** A service that answers on a port. */
export interface OpenService {
  readonly parts: Parts;
  readonly address: string;
  readonly port: number;
  /** Lets what is in flight finish within so many milliseconds, then closes everything. */
  close(grace: number): Promise<void>;
}

/**
 * Takes the port, then makes the service, which must know its own address; requests that come in between wait. Where
 * anything of it fails, nothing stays open.
 */
export async function open(
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
  });
  const { address, port } = await server.listen(wanted.PORT, host);
  let parts: Parts | undefined;
  const close = async (grace: number) => {
    await parts?.get(t.lifecycle).then((lifecycle) => lifecycle.stop());
    await server.close(grace);
    await parts?.close();
  };
  try {
    parts = await compose(atPort(wanted, port));
    answer = await parts.get(t.listener);
    ready(answer);
    return { parts, address, port, close };
  } catch (error) {
    await close(0);
    throw error;
  }
}
