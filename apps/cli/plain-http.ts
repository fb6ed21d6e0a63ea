import { isIPv4 } from 'node:net';
import { colored, note } from './output.ts';

/** Warns on standard error if others can read the API key on its way to this server. `server` is an origin. */
export function warnOfPlainHttp(server: string): void {
  if (!isReadable(server)) return;
  note(
    `${colored('yellow', 'Warning:', process.stderr)} ${server} is not encrypted. Others can read your key on its way.`,
  );
}

/** Whether others can read what is sent to this origin. Nobody can on the way to this computer itself. */
export function isReadable(origin: string): boolean {
  // Here each address has one form, such as `127.0.0.1` for `127.1`.
  const { protocol, hostname } = new URL(origin);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || (isIPv4(hostname) && hostname.startsWith('127.'));
  return protocol === 'http:' && !isHere;
}
