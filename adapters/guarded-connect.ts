import { isIP, connect as open, type Socket } from 'node:net';
import { type ConnectionOptions, connect as secure, type TLSSocket } from 'node:tls';
import { cutOff, FailedAttempt, fail } from './failed-attempt.ts';
import type { LookUp } from './look-up.ts';
import type { IsAllowed } from './public-addresses.ts';

/** Milliseconds for one of several addresses before the next one is tried too. */
const perAddress = 2_500;

/** Connects to the host of a URL, with TLS if it is `https:`. Ends when `signal` is aborted, which also closes what is open. */
export type Connect = (url: URL, signal: AbortSignal) => Promise<Socket>;

/**
 * Connects only to permitted addresses, so that nothing that others ask for reaches the operator's own network (SSRF). The addresses of a
 * name are looked up once, and the connection is made to one of those that were found permitted: a name server cannot
 * give another answer in between. The other side of the connection is checked again before anything is sent.
 */
export function createConnect(isAllowed: IsAllowed, lookUp: LookUp, tls: ConnectionOptions = {}): Connect {
  async function addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const all = isIP(host) === 0 ? await Promise.race([lookUp(host, signal), aborted(signal)]) : [host];
    const allowed = all.filter(isAllowed);
    return allowed.length > 0 ? allowed : fail('blocked_address', blocked(all));
  }
  return async (url, signal) => {
    const host = hostOf(url);
    const isSecure = url.protocol === 'https:';
    const addresses = await addressesOf(host, signal);
    const port = Number(url.port) || (isSecure ? 443 : 80);
    const socket = open({ ...placeOf(addresses), port, noDelay: true });
    socket.on('error', () => undefined);
    return await untilAborted(socket, signal, async () => {
      await happened(socket, 'connect');
      const peer = socket.remoteAddress ?? '';
      if (!isAllowed(peer)) return fail('blocked_address', blocked([peer]));
      if (!isSecure) return socket;
      const name = isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : { host };
      const secured = secure({ ...tls, ...name, socket, ALPNProtocols: ['http/1.1'] });
      await happened(secured, 'secureConnect', socket);
      return secured;
    });
  };
}

/** Where to connect: to one address, or to the first of several that answers. */
function placeOf(addresses: readonly string[]) {
  const [first = '', second] = addresses;
  if (second === undefined) return { host: first };
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return {
    host: 'looked.up.before.invalid',
    lookup: (_: string, __: object, done: (error: null, all: typeof found) => void) => done(null, found),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: perAddress,
  };
}

/** Rejects when the signal is aborted. */
async function aborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function untilAborted(
  socket: Socket,
  signal: AbortSignal,
  work: () => Promise<Socket | TLSSocket>,
): Promise<Socket> {
  const end = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await work();
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Waits for an event of a socket. Later errors are for the code that uses the socket. */
async function happened(socket: Socket, event: 'connect' | 'secureConnect', below = socket): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const closed = () => reject(new FailedAttempt(cutOff));
    for (const one of new Set([socket, below])) one.once('error', reject).once('close', closed);
    socket.once(event, () => {
      for (const one of new Set([socket, below])) one.off('error', reject).off('close', closed);
      resolve();
    });
  });
}

/** The name or address of a host, without the brackets of IPv6. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

export function blocked([first, ...others]: readonly string[]): string {
  const rest = others.length === 0 ? '' : ` and ${others.length} more`;
  return `This server connects to public addresses only, and ${first}${rest} is not one.`;
}
