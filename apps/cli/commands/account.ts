import { hostname } from 'node:os';
import type { Command } from 'commander';
import { calling, type Given, rest, show } from '../acting.ts';
import { callsOf, unreachableCode } from '../api.ts';
import { findServer, type GlobalOptions } from '../connection.ts';
import { type Credential, dropCredential, keepCredential, readCredentials } from '../credentials.ts';
import { environment } from '../environment.ts';
import { colored, note, printFacts, say } from '../output.ts';
import { warnOfPlainHttp } from '../plain-http.ts';
import { Stop } from '../stop.ts';

interface LoginOptions {
  readonly withToken?: boolean;
  readonly name?: string;
  readonly scopes?: string;
  readonly test?: boolean;
}

/** Signing in and out. */
export function accountCommands(program: Command): void {
  program
    .command('login')
    .description('sign in: shows a code, which you approve in your browser')
    .option('--with-token', 'read an API key from standard input instead')
    .option('--name <name>', 'what the page shows as the name of this program')
    .option('--scopes <list>', 'ask for some scopes only, with commas in between')
    .option('--test', 'ask for a key for test data')
    .action(async function (this: Command) {
      await login(this.optsWithGlobals<Given<LoginOptions>>());
    });
  program
    .command('logout')
    .description('revoke the API key of this computer, and forget it')
    .action(async function (this: Command) {
      await logout(this.optsWithGlobals<GlobalOptions>());
    });
  program
    .command('whoami')
    .description('show who is signed in, and where')
    .action(
      calling(async ({ get, server }, options) => {
        const me = await get('/api/auth/me');
        show(options, { server, ...me }, () =>
          printFacts([
            ['Server', server],
            ['Name', me.name],
            ['E-mail', me.email],
            ['Plan', me.tier],
          ]),
        );
      }),
    );
}

async function login(options: Given<LoginOptions>): Promise<void> {
  const server = await findServer(options);
  // A file that others can read is refused before anybody has typed anything.
  await readCredentials();
  warnOfPlainHttp(server);
  const credential = await (options.withToken ? fromInput(server) : byDevice(server, options));
  await keepCredential(server, credential);
  show(options, { server, email: credential.email }, () => {
    say(`${colored('green', 'Signed in')} to ${server} as ${credential.email}.`);
  });
  if (environment.LATCHKEY_API_KEY) note('LATCHKEY_API_KEY is set. It is used instead of this sign-in.');
}

/** Checks a key from standard input. */
async function fromInput(server: string): Promise<Credential> {
  if (process.stdin.isTTY) note('Paste the API key, then press Enter and Ctrl+D.');
  let key = '';
  for await (const chunk of process.stdin) key += chunk;
  key = key.trim();
  if (key === '') throw new Stop('wrongUsage', 'There is no API key on standard input.');
  const { get } = callsOf({ server, key, origin: 'The key comes from standard input.' });
  const { email } = await get('/api/auth/me');
  const { keys } = await get('/api/keys');
  const own = keys.find((one) => {
    return one.revoked_at === null && key.startsWith(one.prefix) && key.endsWith(one.last_four);
  });
  return { api_key: key, key_id: own?.id ?? null, email };
}

/** Shows a code and waits until the person has approved it on the site (RFC 8628). */
async function byDevice(server: string, { name, scopes, test }: LoginOptions): Promise<Credential> {
  const { post } = callsOf({ server });
  const started = await post('/api/device/code', {
    body: {
      client_name: name ?? `latchkey on ${hostname()}`.slice(0, 100),
      mode: test ? 'test' : undefined,
      scopes: scopes?.split(',').map((one) => one.trim()),
    },
  });
  note(`Open this page in your browser:  ${colored('cyan', started.verification_uri, process.stderr)}`);
  note(`Enter this code, or compare it:  ${colored('bold', started.user_code, process.stderr)}`);
  note('Approve only a code that you see here. Waiting …');
  let { interval } = started;
  for (let left = started.expires_in; left > 0; left -= interval) {
    await rest(interval * 1000);
    const made = await post('/api/device/token', { body: { device_code: started.device_code } }).catch((error) => {
      if (!(error instanceof Stop)) throw error;
      const { code, message, interval: longer } = error.details;
      if (code === 'ACCESS_DENIED') throw new Stop('refused', String(message));
      if (code === 'EXPIRED_TOKEN') throw expired();
      if (code === 'SLOW_DOWN') interval = typeof longer === 'number' ? longer : interval + 5;
      // The connection may come back before the code expires (RFC 8628, 3.5).
      else if (code !== 'AUTHORIZATION_PENDING' && code !== unreachableCode) throw error;
    });
    if (made) return { api_key: made.api_key, key_id: made.key.id, email: await emailOf(server, made.api_key) };
  }
  throw expired();
}

function expired(): Stop {
  return new Stop('failed', 'The code has expired.', 'Run "latchkey login" again.');
}

/** A key without the scope account:read does not know whose it is. */
async function emailOf(server: string, key: string): Promise<string> {
  const me = await callsOf({ server, key })
    .get('/api/auth/me')
    .catch((error) => {
      if (!(error instanceof Stop) || error.details.code === unreachableCode) throw error;
    });
  return me?.email ?? 'unknown';
}

async function logout(options: GlobalOptions): Promise<void> {
  const server = await findServer(options);
  const credential = (await readCredentials()).servers[server];
  if (credential === undefined) throw new Stop('notSignedIn', `You are not signed in to ${server}.`);
  const { api_key: key, key_id: id } = credential;
  if (id !== null) warnOfPlainHttp(server);
  if (id === null) {
    note('The API key could not be found in the list of the account. Revoke it on the page "Plan & API".');
  } else {
    const path = { id: String(id) };
    await callsOf({ server, key })
      .delete('/api/keys/{id}', { path })
      .catch((error) => {
        // It was revoked before, or has expired.
        if (!(error instanceof Stop) || error.exit !== 'notSignedIn') throw error;
      });
  }
  await dropCredential(server);
  show(options, { server, signed_out: true }, () => say(`Signed out of ${server}.`));
}
