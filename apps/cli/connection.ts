import { type Credential, readCredentials } from './credentials.ts';
import { environment } from './environment.ts';
import { Stop } from './stop.ts';

/** The options that every command has. */
export interface GlobalOptions {
  readonly server?: string;
  readonly json?: boolean;
}

/** A server with the key for it. */
export interface Connection {
  readonly server: string;
  readonly key: string;
  /** The key as the file stores it. `undefined` if the key comes from the environment. */
  readonly credential: Credential | undefined;
}

/** The address of the server: `--server`, then `LATCHKEY_URL`, then the server of the last sign-in. */
export async function findServer({ server }: GlobalOptions): Promise<string> {
  const named = server ?? (environment.LATCHKEY_URL || undefined);
  if (named !== undefined) return parseServer(named);
  const { current } = await readCredentials();
  if (current !== null) return current;
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

/** The key: `LATCHKEY_API_KEY`, then that of the file. */
export async function connect(options: GlobalOptions): Promise<Connection> {
  const server = await findServer(options);
  const given = environment.LATCHKEY_API_KEY;
  if (given) return { server, key: given, credential: undefined };
  const credential = (await readCredentials()).servers[server];
  if (credential) return { server, key: credential.api_key, credential };
  throw new Stop(
    'notSignedIn',
    `You are not signed in to ${server}.`,
    `Run "latchkey login --server ${server}", or set LATCHKEY_API_KEY.`,
  );
}
