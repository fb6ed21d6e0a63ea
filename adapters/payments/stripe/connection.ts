import { Agent as PlainAgent } from 'node:http';
import { Agent } from 'node:https';
import Stripe from 'stripe';
import type { Abort } from '../../../core/abort.ts';
import { Unavailable } from '../../../core/unavailable.ts';

type Connection = Required<Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol' | 'timeout' | 'httpClient'>>;

/**
 * Returns the settings of the SDK for an address of Stripe's API. With them, it begins no try after the deadline. A try
 * that is under way then ends after `timeout` milliseconds of silence.
 */
export function createConnection(api: string, timeout: number): (until: Abort | undefined) => Connection {
  const { hostname: host, port, protocol } = new URL(api);
  const isPlain = protocol === 'http:';
  // The agent's timeout also ends the wait for a connection. That of a request begins only when it is connected.
  const agent = isPlain ? new PlainAgent({ keepAlive: true, timeout }) : new Agent({ keepAlive: true, timeout });
  const http = Stripe.createNodeHttpClient(agent);
  return (until) => ({
    host,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? 'http' : 'https',
    timeout,
    httpClient: {
      getClientName: () => http.getClientName(),
      async makeRequest(...request) {
        until?.throwIfAborted();
        return await http.makeRequest(...request);
      },
    },
  });
}

/** Waits for an answer, but not longer than to the deadline. */
export async function beforeDeadline<T>(answer: Promise<T>, until: Abort | undefined): Promise<T> {
  return await new Promise((resolve, reject) => {
    const leave = () => reject(new Unavailable('Stripe does not answer in time.'));
    if (until?.aborted) leave();
    until?.addEventListener('abort', leave);
    answer.finally(() => until?.removeEventListener('abort', leave)).then(resolve, reject);
  });
}
