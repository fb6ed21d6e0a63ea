import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { environment } from './environment.ts';
import { Stop } from './stop.ts';

/** The key for one server. */
export interface Credential {
  readonly api_key: string;
  /** The id of the key, by which it can be revoked. `null` if it is not known. */
  readonly key_id: number | null;
  readonly email: string;
}

/** Everything in the file. `current` is the server of the last sign-in. */
export interface Credentials {
  readonly current: string | null;
  readonly servers: Readonly<Record<string, Credential>>;
}

const none: Credentials = { current: null, servers: {} };

export function credentialsPath(): string {
  const { XDG_CONFIG_HOME } = environment;
  // The specification says that a path which is not absolute must be ignored.
  const home = XDG_CONFIG_HOME?.startsWith('/') ? XDG_CONFIG_HOME : join(homedir(), '.config');
  return join(home, 'latchkey', 'credentials.json');
}

/** Reads the file. Refuses one that other people can read, because they may have the keys already. */
export async function readCredentials(): Promise<Credentials> {
  const path = credentialsPath();
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (found === undefined) return none;
  // Windows has no such bits.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new Stop(
      'notSignedIn',
      `Other people on this computer can read ${path}, which contains your keys.`,
      `Run "chmod 600 ${path}". If somebody may have read it, also revoke the keys on the page of your account.`,
    );
  }
  const text = await readFile(path, 'utf8');
  try {
    const { current = null, servers = {} } = JSON.parse(text) as Partial<Credentials>;
    return { current, servers };
  } catch {
    throw new Stop('failed', `${path} is no JSON.`, `Delete it, and sign in again with "latchkey login".`);
  }
}

/** Writes the file whole or not at all, readable only for its owner. */
async function writeCredentials(credentials: Credentials): Promise<void> {
  const path = credentialsPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

export async function keepCredential(server: string, credential: Credential): Promise<void> {
  const { servers } = await readCredentials();
  await writeCredentials({ current: server, servers: { ...servers, [server]: credential } });
}

export async function dropCredential(server: string): Promise<void> {
  const { current, servers } = await readCredentials();
  const { [server]: _, ...others } = servers;
  const [next = null] = Object.keys(others);
  await writeCredentials({ current: current === server ? next : current, servers: others });
}
