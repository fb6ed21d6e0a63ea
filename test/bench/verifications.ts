import { setTimeout } from 'node:timers/promises';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import { type Exactness, exactnessOf } from './exactness.ts';
import type { Generator } from './generators.ts';
import { type Running, startBareRoute, startLatchkey, startPerRequest } from './processes.ts';
import { type Contestant, type Measured, measure, type Rounds } from './rounds.ts';
import { expiredLicenses, foreignDomains, mixed, type Scenario, unknownKeys, verifying } from './scenarios.ts';
import { type Binding, mintBindings, seed } from './seed.ts';
import { sum } from './statistics.ts';

export interface Options extends Rounds {
  /** Licenses in a database. */
  readonly sizes: Readonly<Record<'usual' | 'many', number>>;
  /** Licenses in the active set. */
  readonly active: number;
  /** Measures only contestants whose name matches, and the bare routes. */
  readonly only: RegExp;
  readonly nodeOptions: readonly string[];
}

export interface Verifications {
  readonly generator: string;
  readonly measured: ReadonlyMap<string, Measured>;
  readonly exactness: readonly Exactness[];
}

/** All rates are compared with this contestant's. */
export const bare = 'bare route';
export const bareAgain = 'bare route, again';

/** Several processes for each bare route, because all other figures depend on it. */
const bareProcesses = 3;

type Database = keyof Options['sizes'] | 'expired' | 'per request';
type Server = 'usual' | 'unlimited' | 'three' | 'plain' | 'exact';

interface Role {
  readonly name: string;
  readonly server: Server;
  readonly database: Database;
  readonly scenario: (bindings: readonly Binding[], seed: number) => Scenario;
}

/** The scenarios for one kind of database. */
function rolesOn(kind: DatabaseKind, { active }: Options): Role[] {
  const activeSet: Role['scenario'] = (all, seed) => verifying(all.slice(0, active), seed);
  const hot: Role['scenario'] = (all, seed) => verifying(all.slice(0, 1), seed);
  const unknown: Role['scenario'] = (all, seed) => unknownKeys(mintBindings(all.length, seed + 1), seed);
  const roles: Role[] = [
    { name: 'uniform', server: 'usual', database: 'usual', scenario: verifying },
    { name: 'active set', server: 'usual', database: 'usual', scenario: activeSet },
    { name: 'one license', server: 'usual', database: 'usual', scenario: hot },
    { name: 'with changes', server: 'usual', database: 'usual', scenario: mixed },
    { name: 'unknown keys', server: 'usual', database: 'usual', scenario: unknown },
    { name: 'foreign domains', server: 'usual', database: 'usual', scenario: foreignDomains },
    { name: 'expired', server: 'usual', database: 'expired', scenario: expiredLicenses },
    { name: 'uniform, limiter off', server: 'unlimited', database: 'usual', scenario: verifying },
    { name: 'uniform, many licenses', server: 'usual', database: 'many', scenario: verifying },
    { name: 'select and update, uniform', server: 'exact', database: 'per request', scenario: verifying },
    { name: 'select and update, inexact', server: 'plain', database: 'per request', scenario: verifying },
  ];
  if (kind === 'sqlite') return roles;
  return [
    ...roles,
    { name: 'uniform, three processes', server: 'three', database: 'usual', scenario: verifying },
    { name: 'one license, three processes', server: 'three', database: 'usual', scenario: hot },
  ];
}

/** A database, and the servers and contestants that use it. */
interface Shared {
  readonly title: string;
  readonly url: string;
  readonly bindings: readonly Binding[];
  readonly servers: Map<Server, readonly Running[]>;
  readonly contestants: string[];
}

/** Measures all kinds of verifications on all databases, and compares the answers with the counts. */
export async function measureVerifications(
  folder: TemporaryFolder,
  databases: Databases,
  generator: Generator,
  options: Options,
  tell: (line: string) => void,
): Promise<Verifications> {
  const all: Running[] = [];
  const shared = new Map<string, Shared>();
  const contestants: Contestant[] = [];

  async function share(kind: DatabaseKind, database: Database): Promise<Shared> {
    const title = `${kind}, ${database}`;
    const known = shared.get(title);
    if (known) return known;
    const size = options.sizes[database === 'many' ? 'many' : 'usual'];
    tell(`${size} licenses for ${title}`);
    const bindings = mintBindings(size, options.seed);
    const url = await databases.create(kind);
    await seed(url, bindings, database === 'expired');
    const made: Shared = { title, url, bindings, servers: new Map(), contestants: [] };
    shared.set(title, made);
    return made;
  }

  async function serversOf({ servers, url }: Shared, server: Server): Promise<readonly Running[]> {
    const known = servers.get(server);
    if (known) return known;
    const started = await start(folder, server, url, options.nodeOptions);
    servers.set(server, started);
    all.push(...started);
    return started;
  }

  try {
    for (const name of [bare, bareAgain]) {
      const servers = await Promise.all(Array.from({ length: bareProcesses }, () => startBareRoute(folder)));
      all.push(...servers);
      const scenario = verifying(mintBindings(1_000, options.seed), options.seed);
      contestants.push({ name, crews: servers.map((server) => [server]), scenario, database: () => [] });
    }
    for (const kind of databases.kinds) {
      for (const { name: short, server, database, scenario } of rolesOn(kind, options)) {
        const name = `${kind}: ${short}`;
        if (!options.only.test(name)) continue;
        const one = await share(kind, database);
        one.contestants.push(name);
        contestants.push({
          name,
          crews: [await serversOf(one, server)],
          scenario: scenario(one.bindings, options.seed),
          database: () => databases.processesOf(kind),
        });
      }
    }
    const measured = await measure(contestants, generator, folder, options, tell);
    // A server may still handle requests that were in flight at the end of the last load.
    await setTimeout(500);
    const exactness: Exactness[] = [];
    for (const { title, url, servers, contestants } of shared.values()) {
      const of = contestants.flatMap((name) => measured.get(name) ?? []);
      const load = {
        received: sum(of.map(({ answers }) => answers)),
        due: sum(of.map(({ due }) => due)),
        inFlight: sum(of.map(({ inFlight }) => inFlight)),
      };
      exactness.push(await exactnessOf(title, [...servers.values()].flat(), url, load));
    }
    return { generator: generator.name, measured, exactness };
  } finally {
    for (const server of all) await server.stop();
  }
}

async function start(
  folder: TemporaryFolder,
  server: Server,
  url: string,
  nodeOptions: readonly string[],
): Promise<Running[]> {
  const latchkey = (settings: Record<string, string> = {}) =>
    startLatchkey(folder, { DATABASE_URL: url, ...settings }, nodeOptions);
  switch (server) {
    case 'usual':
      return [await latchkey()];
    case 'unlimited':
      return [await latchkey({ RATE_LIMIT_URL: 'off:' })];
    case 'three':
      return await Promise.all([latchkey(), latchkey(), latchkey()]);
    case 'plain':
    case 'exact':
      return [await startPerRequest(folder, server, { DATABASE_URL: url })];
  }
}
