import { setTimeout } from 'node:timers/promises';
import { t } from '../../apps/wiring/tokens.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { Databases } from './databases.ts';
import type { Generator } from './generators.ts';
import { check, fire } from './load.ts';
import { type Noise, watchNoise } from './noise.ts';
import { type Running, startBareRoute, withLatchkey } from './processes.ts';
import { timesOf, used } from './processor-time.ts';
import { type Ask, changing, type Scenario, verifying } from './scenarios.ts';
import { addLicenses, mintBindings, settle, withParts } from './seed.ts';
import { makeStorefront } from './storefront-market.ts';
import type { Options } from './verifications.ts';

/** The processor time of one kind of call. */
export interface Cost {
  /** The call, and its database. */
  readonly name: string;
  /** Microseconds of CPU time that the main thread uses for each answer. */
  readonly main: number;
  /** The same of the bare route. */
  readonly bare: number;
  readonly noise?: Noise | undefined;
}

const sizes = { products: 1_000, licenses: 1_000 } as const;
/** Whole seconds. */
const seconds = { warmUp: 2, measured: 3 } as const;

/** The headers of somebody who calls. */
interface Callers {
  readonly visitor: Ask['headers'];
  readonly person: Ask['headers'];
  readonly program: Ask['headers'];
}

/** The calls that are measured: who calls, and what. */
const calls: readonly (readonly [caller: keyof Callers, path: string])[] = [
  ['visitor', '/'],
  ['visitor', '/marketplace'],
  ['visitor', '/marketplace?q=token'],
  ['visitor', '/marketplace/product-7'],
  ['visitor', '/docs/selling'],
  ['visitor', '/openapi.json'],
  ['visitor', '/api/marketplace/products?limit=24'],
  ['program', '/api/auth/me'],
  ['program', '/api/templates'],
  ['program', '/api/products?limit=20'],
  ['program', '/api/licenses?limit=20'],
  ['person', '/selling/live'],
  ['person', '/selling/live/licenses'],
  ['person', '/selling/live/orders'],
  ['person', '/account'],
  ['person', '/marketplace'],
];

/** Measures what calls cost the main thread, each alone. */
export async function measureCosts(
  folder: TemporaryFolder,
  databases: Databases,
  generator: Generator,
  { seed, only, nodeOptions }: Pick<Options, 'seed' | 'only' | 'nodeOptions'>,
  tell: (line: string) => void,
): Promise<readonly Cost[]> {
  const bindings = mintBindings(sizes.licenses, seed);
  const cost = async (server: Running, scenario: Scenario) => {
    const wrong = await check(server.port, scenario);
    if (wrong.length > 0) throw new Error(`${scenario.ask(0).path}: ${wrong[0]?.slice(0, 200)}`);
    const load = { generator, folder, ports: [server.port], scenario };
    await fire({ ...load, seconds: seconds.warmUp });
    await setTimeout(inFlight); // A late deactivation would undo an activation of the next load.
    const heard = watchNoise([server.pid], () => databases.kinds.flatMap(databases.processesOf));
    const before = timesOf([server.pid]);
    const { answers, wrong: refused } = await fire({ ...load, seconds: seconds.measured });
    if (refused.length > 0) throw new Error(`${scenario.ask(0).path}: ${refused[0]}`);
    return { main: used(before, timesOf([server.pid]), [server.pid]) / answers, noise: heard(answers) };
  };
  const bareRoute = await startBareRoute(folder);
  const { main: bare, noise } = await cost(bareRoute, verifying(bindings, seed)).finally(() => bareRoute.stop());
  const all: Cost[] = [{ name: 'bare route', main: bare, bare, noise }];
  for (const kind of databases.kinds) {
    tell(`cost: ${sizes.products} products and ${sizes.licenses} licenses for ${kind}`);
    const url = await databases.create(kind);
    const callers = await fill(url, bindings, seed);
    const measureAll = async (server: Running) => {
      const note = async (name: string, scenario: Scenario) => {
        if (!only.test(`${kind}: ${name}`)) return;
        const { main, noise } = await cost(server, scenario);
        tell(`cost: ${kind}: ${name}: ${main.toFixed(0)} µs`);
        all.push({ name: `${kind}: ${name}`, main, bare, noise });
      };
      await note('/verify', verifying(bindings, seed));
      await note('one activation or deactivation', changing(bindings));
      await note('/status', asking(bindings.map(({ key }) => `/status?license_key=${key}`)));
      for (const [caller, path] of calls) {
        await note(`${path}, ${caller}`, asking([path], callers[caller]));
      }
    };
    await withLatchkey(folder, { DATABASE_URL: url, RATE_LIMIT_URL: 'off:' }, measureAll, nodeOptions);
  }
  return all;
}

async function fill(url: string, bindings: Parameters<typeof addLicenses>[2], seed: number): Promise<Callers> {
  await makeStorefront(url, sizes.products, seed);
  return await withParts(url, async (parts) => {
    const [signUp, accounts] = [await parts.get(t.signUp), await parts.get(t.accounts)];
    const email = 'cost@example.com';
    const { token = '' } = good(await signUp.invite({ email, role: null, deliver: 'return' }, operator));
    const from = { address: '127.0.0.1', browser: 'bench', device: undefined };
    const opened = good(await signUp.acceptInvitation(token, { name: 'Cost', password: 'a-long-password-42' }, from));
    const key = { name: 'bench', mode: 'live', scopes: null, expiresAt: null } as const;
    const { secret } = good(await accounts.createKey(email, key, operator));
    const owner = good(await accounts.find(email));
    await addLicenses(parts, owner.id, bindings);
    await settle(parts);
    return {
      visitor: ofBrowser,
      person: { ...ofBrowser, Cookie: `session=${opened.token}` },
      program: { 'X-API-Key': secret },
    };
  });
}

/** In milliseconds. */
const inFlight = 500;

const ofBrowser = { Accept: 'text/html', 'Accept-Encoding': 'gzip, br' };

function asking(paths: readonly string[], headers: Ask['headers'] = {}): Scenario {
  return {
    length: paths.length,
    group: 1,
    valid: 0,
    place: 0,
    ask: (index) => ({ method: 'GET', path: paths[index % paths.length] ?? '', headers, status: 200, answer: '' }),
  };
}
