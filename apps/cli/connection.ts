import { credentialsPath, readCredentials } from './credentials.ts';
import { environment } from './environment.ts';
import { warnOfPlainHttp } from './plain-http.ts';
import { Stop } from './stop.ts';

/** The options that every command has. */
export interface GlobalOptions {
  readonly server?: string;
  readonly json?: boolean;
}

/** A server, and the key for it if it needs one. */
export interface ServerAccess {
  readonly server: string;
  readonly key?: string;
  /** A sentence that says where the key and the address come from. A person reads it if the server refuses the key. */
  readonly origin?: string;
}

/** A server with the key for it. */
export type Connection = Required<ServerAccess>;

/** The address of the server: `--server`, then `LATCHKEY_URL`, then the server of the last sign-in. */
export async function findServer(options: GlobalOptions): Promise<string> {
  return (await locate(options)).server;
}

async function locate({ server }: GlobalOptions): Promise<{ readonly server: string; readonly from: string }> {
  if (server !== undefined) return { server: parseServer(server), from: '--server' };
  const named = environment.LATCHKEY_URL;
  if (named) return { server: parseServer(named), from: 'LATCHKEY_URL' };
  const { current } = await readCredentials();
  if (current !== null) return { server: current, from: 'your last sign-in' };
  throw new Stop('wrongUsage', 'No server is named.', 'Use --server https://shop.example.com, or set LATCHKEY_URL.');
}

function parseServer(text: string): string {
  const full = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  if (URL.canParse(full)) {
    const { protocol, origin } = new URL(full);
    if (protocol === 'https:' || protocol === 'http:') return origin;
  }
  throw new Stop(
    'wrongUsage',
    `${text} is not the address of a server.`,
    'It must look like https://shop.example.com.',
  );
}

/** The key: `LATCHKEY_API_KEY`, then that of the file. Warns if it goes to the server without encryption. */
export async function connect(options: GlobalOptions): Promise<Connection> {
  const { server, from } = await locate(options);
  const origin = (key: string) => `The key comes from ${key}, and the address from ${from}.`;
  const given = environment.LATCHKEY_API_KEY;
  if (given) warnOfPlainHttp(server);
  if (given) return { server, key: given, origin: origin('LATCHKEY_API_KEY') };
  const credential = (await readCredentials()).servers[server];
  if (credential) warnOfPlainHttp(server);
  if (credential) return { server, key: credential.api_key, origin: origin(`your sign-in in ${credentialsPath()}`) };
  throw new Stop(
    'notSignedIn',
    `You are not signed in to ${server}.`,
    `Run "latchkey login --server ${server}", or set LATCHKEY_API_KEY.`,
  );
}
