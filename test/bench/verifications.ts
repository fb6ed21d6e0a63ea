import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import { type Running, startBareRoute, startLatchkey, startPerRequest } from './processes.ts';
import { type Contestant, type Measured, measure } from './rounds.ts';
import { limited, mixed, type Scenario, unknown, verifying } from './scenarios.ts';
import { type Binding, countVerifications, mintBindings, seed } from './seed.ts';

export interface Options {
  readonly rounds: number;
  /** Of each contestant in each round. */
  readonly seconds: number;
  /** Seconds of load before the first round: servers go on compiling themselves for some, and remember what they read. */
  readonly warmUp: number;
  /** Licenses in a database. */
  readonly sizes: Readonly<Record<'few' | 'usual' | 'many', number>>;
  /** Licenses of the active set. */
  readonly active: number;
  readonly seed: number;
  /** Only what has such a name is measured, beside the bare routes. */
  readonly only: RegExp;
  readonly nodeOptions: readonly string[];
}

/** What was answered as valid by all the servers of a database, and what it counted. */
export interface Exactness {
  readonly database: string;
  readonly answered: number;
  readonly counted: number;
}

export interface Verifications {
  readonly measured: ReadonlyMap<string, Measured>;
  readonly exactness: readonly Exactness[];
}

/** What everything else is compared with. */
export const bare = 'bare route';
export const bareAgain = 'bare route, again';

/** Processes of each bare route, as everything is measured by it. */
const bareProcesses = 3;

type Database = keyof Options['sizes'] | 'per request';
type Server = 'usual' | 'unlimited' | 'limited' | 'three' | 'plain' | 'exact';

interface Role {
  readonly name: string;
  readonly server: Server;
  readonly database: Database;
  readonly scenario: (bindings: readonly Binding[]) => Scenario;
}

/** What is measured on a database of one kind. */
function rolesOn(kind: DatabaseKind, { active, seed }: Options): Role[] {
  const uniform = (all: readonly Binding[]) => verifying(all, seed);
  const activeSet = (all: readonly Binding[]) => verifying(all.slice(0, active), seed);
  const hot = (all: readonly Binding[]) => verifying(all.slice(0, 1), seed);
  const others = (all: readonly Binding[]) => unknown(mintBindings(all.length, seed + 1), seed);
  const roles: Role[] = [
    { name: 'uniform', server: 'usual', database: 'usual', scenario: uniform },
    { name: 'active set', server: 'usual', database: 'usual', scenario: activeSet },
    { name: 'one license', server: 'usual', database: 'usual', scenario: hot },
    { name: 'with changes', server: 'usual', database: 'usual', scenario: (all) => mixed(all, seed) },
    { name: 'unknown keys', server: 'usual', database: 'usual', scenario: others },
    { name: 'uniform, limiter off', server: 'unlimited', database: 'usual', scenario: uniform },
    { name: 'beyond the limit', server: 'limited', database: 'usual', scenario: (all) => limited(all, seed) },
    { name: 'uniform, few licenses', server: 'usual', database: 'few', scenario: uniform },
    { name: 'uniform, many licenses', server: 'usual', database: 'many', scenario: uniform },
    { name: 'select and update, uniform', server: 'exact', database: 'per request', scenario: uniform },
    { name: 'select and update, inexact', server: 'plain', database: 'per request', scenario: uniform },
  ];
  if (kind === 'sqlite') return roles;
  return [
    ...roles,
    { name: 'uniform, three processes', server: 'three', database: 'usual', scenario: uniform },
    { name: 'one license, three processes', server: 'three', database: 'usual', scenario: hot },
  ];
}

/** Measures verifications of every kind on every database, and compares what was answered with what was counted. */
export async function measureVerifications(
  folder: TemporaryFolder,
  databases: Databases,
  options: Options,
  tell: (line: string) => void,
): Promise<Verifications> {
  const started = new Map<string, Promise<Running[]>>();
  const made = new Map<string, Promise<{ readonly url: string; readonly bindings: readonly Binding[] }>>();

  const makeDatabase = (kind: DatabaseKind, database: Database) =>
    remembered(made, `${kind}, ${database}`, async () => {
      const size = options.sizes[database === 'per request' ? 'usual' : database];
      tell(`${size} licenses for ${kind}, ${database}`);
      const bindings = mintBindings(size, options.seed);
      const url = await databases.create(kind);
      await seed(url, bindings);
      return { url, bindings };
    });

  const start = (server: Server, url: string) =>
    remembered(started, `${server}, ${url}`, async () => {
      const latchkey = (settings: Record<string, string> = {}) =>
        startLatchkey(folder, { DATABASE_URL: url, ...settings }, options.nodeOptions);
      switch (server) {
        case 'usual':
          return [await latchkey()];
        case 'unlimited':
          return [await latchkey({ RATE_LIMIT_URL: 'off:' })];
        case 'limited':
          return [await latchkey({ RATE_LIMIT_VERIFY: '120' })];
        case 'three':
          return await Promise.all([latchkey(), latchkey(), latchkey()]);
        case 'plain':
        case 'exact':
          return [await startPerRequest(folder, server, { DATABASE_URL: url })];
      }
    });

  try {
    const none = verifying(mintBindings(1_000, options.seed), options.seed);
    const contestants: Contestant[] = [];
    for (const [name, kind] of [
      [bare, 'bare'],
      [bareAgain, 'bare'],
      ['answers together', 'deferred'],
    ] as const) {
      const servers = await remembered(started, name, () =>
        Promise.all(Array.from({ length: bareProcesses }, () => startBareRoute(folder, kind))),
      );
      contestants.push({ name, crews: servers.map((server) => [server]), scenario: none });
    }
    const sharers = new Map<string, string[]>();
    for (const kind of databases.kinds) {
      for (const { name: short, server, database, scenario } of rolesOn(kind, options)) {
        const name = `${kind}: ${short}`;
        if (!options.only.test(name)) continue;
        const { url, bindings } = await makeDatabase(kind, database);
        contestants.push({ name, crews: [await start(server, url)], scenario: scenario(bindings) });
        sharers.set(url, [...(sharers.get(url) ?? []), name]);
      }
    }
    const measured = await measure(contestants, options, tell);
    const exactness: Exactness[] = [];
    for (const [name, database] of made) {
      const { url } = await database;
      const answered = (sharers.get(url) ?? []).reduce((sum, sharer) => sum + (measured.get(sharer)?.valid ?? 0), 0);
      exactness.push({ database: name, answered, counted: await countVerifications(url) });
    }
    return { measured, exactness };
  } finally {
    for (const servers of started.values()) for (const server of await servers.catch(() => [])) await server.stop();
  }
}

/** What was made under a name before, or else makes it. */
function remembered<T>(known: Map<string, Promise<T>>, name: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(name) ?? make();
  known.set(name, made);
  return made;
}
