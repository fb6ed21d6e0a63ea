import type { ResolverOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { codeOf } from './system-error.ts';

/** Returns the addresses of a name. Throws an error with the code of the fault. */
export type LookUp = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Milliseconds until an unanswered question is asked again. */
const timeout = 3_000;

/**
 * Asks the name servers of this machine. Unlike `dns.lookup`, it does not block a thread, so that names with slow
 * servers do not hold up other work of the process. It does not read `/etc/hosts`.
 */
export function createLookUp(servers?: readonly string[]): LookUp {
  return async (name, signal) => {
    if (/(?:^|\.)localhost\.?$/i.test(name)) return ['127.0.0.1', '::1']; // RFC 6761
    return await askServers({ servers, timeout, tries: 4 }, signal, async (resolver) => {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (found.length > 0) return found;
      throw worst(answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])));
    });
  };
}

/** Which name servers to ask (those of this machine without `servers`), and how patiently. */
interface Asking extends ResolverOptions {
  readonly servers?: readonly string[] | undefined;
}

/** Asks name servers. The questions are cancelled when the signal is aborted. */
export async function askServers<T>(
  { servers, ...patience }: Asking,
  signal: AbortSignal,
  ask: (resolver: Resolver) => Promise<T>,
): Promise<T> {
  const resolver = new Resolver(patience);
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await ask(resolver);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** The error that says most: a server that failed may know an address. */
function worst(errors: readonly unknown[]): unknown {
  return errors.find((error) => !['ENODATA', 'ENOTFOUND'].includes(codeOf(error) ?? '')) ?? errors[0];
}
