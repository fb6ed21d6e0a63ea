import { randomOf, shuffled } from '../torture/random.ts';
import type { Ask } from './load.ts';
import type { Binding } from './seed.ts';

/** What each connection asks. Made once for all rounds: each goes on where the one before ended. */
export type Scenario = (connection: number) => () => Ask;

export const connections = 64;

/** Each license as often as any other, in an order of chance, which each connection enters at a place of its own. */
export function verifying(bindings: readonly Binding[], seed: number): Scenario {
  const order = shuffled(bindings, randomOf(seed));
  const places = new Map<number, number>();
  return (connection) => {
    const first = Math.floor((connection * order.length) / connections);
    return () => {
      const place = places.get(connection) ?? first;
      places.set(connection, (place + 1) % order.length);
      return verify(order[place]);
    };
  };
}

/** One of ten binds or frees a second domain, each connection on licenses of its own. */
export function mixed(bindings: readonly Binding[], seed: number): Scenario {
  const verifications = verifying(bindings, seed);
  const turns = new Map<number, number>();
  return (connection) => {
    const next = verifications(connection);
    return () => {
      const turn = turns.get(connection) ?? 0;
      turns.set(connection, turn + 1);
      if (turn % 10 !== 9) return next();
      const change = Math.floor(turn / 10);
      const binding = bindings[(Math.floor(change / 2) * connections + connection) % bindings.length];
      return post(change % 2 === 0 ? 'activate' : 'deactivate', binding);
    };
  };
}

/** Keys that nobody issued. */
export function unknown(bindings: readonly Binding[], seed: number): Scenario {
  const scenario = verifying(bindings, seed);
  return (connection) => {
    const next = scenario(connection);
    return () => ({ ...next(), statuses: [404], body: '{"valid":false,"error":"invalid_key"' });
  };
}

/** Calls beyond the limit: what a window lets through passes, all else is refused. */
export function limited(bindings: readonly Binding[], seed: number): Scenario {
  const scenario = verifying(bindings, seed);
  return (connection) => {
    const next = scenario(connection);
    return () => ({ ...next(), statuses: [200, 429], body: '{"valid":' });
  };
}

function verify(binding: Binding | undefined): Ask {
  const query = `license_key=${binding?.key}&domain=${binding?.domain}`;
  return {
    text: `GET /verify?${query} HTTP/1.1\r\nHost: license.example.com\r\nAccept: application/json\r\n\r\n`,
    statuses: [200],
    body: '{"valid":true',
  };
}

function post(operation: string, binding: Binding | undefined): Ask {
  const body = JSON.stringify({ license_key: binding?.key, domain: `more.${binding?.domain}` });
  return {
    text: `POST /${operation} HTTP/1.1\r\nHost: license.example.com\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    statuses: [200],
    body: '{"success":true',
  };
}
