import pg from 'pg';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { Move } from '../../core/licensing/move.ts';
import { OutcomeUnknown } from '../../core/outcome-unknown.ts';
import { isRefused } from '../../core/refusal.ts';
import { Unavailable } from '../../core/unavailable.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { domain } from '../support/license-acts.ts';
import { makeSchema } from '../support/postgres-backend.ts';
import { runOnPostgres } from '../support/run-on-postgres.ts';
import { textOf } from '../support/run-process.ts';
import { NeverListened, type ServerProcess, serverProgram, startServer } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { createClient } from './client.ts';
import type { Call, neverSent } from './history.ts';
import { movesPerMonth } from './model.ts';
import type { Plant } from './plants.ts';
import { startRedis } from './redis.ts';
import { openWitness, type Testimony, witnessSettings } from './witness.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

export interface HouseOptions {
  readonly database: DatabaseKind;
  readonly processes: number;
  /** A bug to plant into the servers. */
  readonly plant?: Plant | undefined;
  /** Starts a Redis server for the rate limits, which the test may kill. */
  readonly redis?: boolean;
}

export type SellerCall = Extract<Call, { op: 'move' }> | { readonly op: 'suspend' | 'reinstate' | 'revoke' | 'renew' };

type Answered = Promise<string | undefined | typeof neverSent>;

/** Several server processes on one new database. All of it is deleted at the end. */
export interface House extends AsyncDisposable {
  /** The URLs of the running processes. */
  urls(): readonly string[];
  /** Calls the license API of one process. */
  call(url: string, licenseKey: string, call: Call): Answered;
  /** Changes a license as a seller, from this process. */
  change(licenseKey: string, call: SellerCall): Answered;
  issue(count: number, maxDomains: number): Promise<string[]>;
  /** Kills one process with SIGKILL, and starts another in its place. */
  kill(index: number): Promise<void>;
  /** Breaks all connections to Postgres. Returns their number. */
  cut(): Promise<number>;
  /** Locks the domains of a recent license, like an open transaction in psql, until the promise resolves. */
  hold(until: () => Promise<void>): Promise<void>;
  /** Kills Redis and starts it again. */
  restartRedis(): Promise<void>;
  /** Compares the events of webhooks with the changes. */
  testimony(): Promise<Testimony>;
  /** Unexpected events: processes that ended by themselves, and unexpected errors. */
  readonly faults: readonly string[];
  readonly failures: ReadonlyMap<number, number>;
}

/** A process may fail to start this often, because its connections are being cut. */
const startAttempts = 10;

export async function openHouse(options: HouseOptions): Promise<House> {
  const closings: (() => unknown)[] = [];
  const closeAll = async () => {
    for (let close = closings.pop(); close !== undefined; close = closings.pop()) await close();
  };
  try {
    return await open(options, closings, closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Adds a function to `closings` for everything that it opens. */
async function open(options: HouseOptions, closings: (() => unknown)[], closeAll: () => Promise<void>): Promise<House> {
  const database = await openDatabase(options.database);
  closings.push(database.drop);
  const redis = options.redis ? await startRedis() : undefined;
  if (redis) closings.push(redis.stop);
  const settings = {
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: '5',
    FILES_URL: 'temporary:',
    LOG_LEVEL: 'warn',
    ...witnessSettings,
  };
  const allowance = '1000000000';
  const serverSettings: Record<string, string> = {
    ...settings,
    LOG_LEVEL: 'info',
    ...(redis && {
      RATE_LIMIT_URL: redis.url,
      RATE_LIMIT_ACTIVATE: allowance,
      RATE_LIMIT_DEACTIVATE: allowance,
      RATE_LIMIT_STATUS: allowance,
      RATE_LIMIT_VERIFY: allowance,
    }),
    ...(options.plant && {
      PLANT: options.plant,
      PLANTED: serverProgram,
    }),
  };
  const planted = options.plant && { text: await textOf('torture/planted-server.ts') };
  const faults: string[] = [];
  const alive = new Map<number, ServerProcess>();
  let isClosing = false;

  async function start(index: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const server = await startServer(serverSettings, planted);
        alive.set(index, server);
        let said = '';
        server.child.stderr?.on('data', (chunk) => {
          said += chunk;
        });
        server.child.once('close', (code, signal) => {
          if (alive.get(index) !== server) return;
          alive.delete(index);
          if (!isClosing) faults.push(`A server ended by itself with ${code ?? signal}: ${said}`);
        });
        return;
      } catch (error) {
        if (attempt === startAttempts || isClosing || error instanceof NeverListened) throw error;
      }
    }
  }

  closings.push(async () => {
    isClosing = true;
    await Promise.all([...alive.values()].map((server) => server.stop('SIGKILL')));
  });
  const started = await Promise.allSettled(Array.from({ length: options.processes }, (_, index) => start(index)));
  for (const result of started) if (result.status === 'rejected') throw result.reason;

  const parts = await compose(readConfig({ ...settings, LOG_LEVEL: 'silent' }));
  closings.push(() => parts.close());
  const issuing = await parts.get(t.issuing);
  const { domains: licenseDomains } = await parts.get(t.sellerLicenses);
  const witness = await openWitness(parts);
  closings.push(() => witness[Symbol.asyncDispose]());
  const { ownerId } = witness;
  const { id: productId } = good(await (await parts.get(t.products)).add({ title: 'Sample', ownerId }, operator));
  await (await parts.get(t.database)).write((trx) => trx('products').update({ moves_per_month: movesPerMonth }));
  const client = createClient();
  closings.push(() => client.close());

  return {
    urls: () => [...alive.values()].map(({ url }) => url),
    call: client.call,
    async change(licenseKey, call) {
      try {
        const changed =
          call.op === 'move'
            ? await licenseDomains.move(licenseKey, moveOf(call), { actor: operator, mode: 'live' })
            : call.op === 'renew'
              ? await issuing.renew(licenseKey, null, operator)
              : await issuing.change(licenseKey, call.op, operator);
        return isRefused(changed) ? changed.reason : 'ok';
      } catch (error) {
        if (!(error instanceof Unavailable || error instanceof OutcomeUnknown))
          faults.push(`${call.op} from this process: ${error}`);
        return undefined;
      }
    },
    async issue(count, maxDomains) {
      for (;;) {
        try {
          return good(await issuing.issue({ productId, maxDomains, expiresAt: null }, count, operator));
        } catch (error) {
          // If the answer was lost, these licenses may exist. Nobody uses them, so they do no harm.
          if (!(error instanceof Unavailable || error instanceof OutcomeUnknown)) throw error;
        }
      }
    },
    async kill(index) {
      const server = alive.get(index);
      alive.delete(index);
      await server?.stop('SIGKILL');
      await start(index);
    },
    cut: database.cut,
    hold: database.hold,
    restartRedis: async () => await redis?.restart(),
    testimony: witness.testimony,
    faults,
    failures: client.failures,
    [Symbol.asyncDispose]: closeAll,
  };
}

function moveOf({ domain: from, to, overlap }: Extract<Call, { op: 'move' }>): Move {
  return { from: domain(from), to: domain(to), overlapHours: overlap };
}

interface TestDatabase {
  readonly url: string;
  cut(): Promise<number>;
  hold(until: () => Promise<void>): Promise<void>;
  drop(): Promise<void>;
}

async function openDatabase(kind: DatabaseKind): Promise<TestDatabase> {
  if (kind === 'sqlite') {
    const folder = await makeTemporaryFolder();
    return {
      url: `sqlite:${folder.file('torture.db')}`,
      cut: async () => 0,
      hold: (until) => until(),
      drop: () => folder.remove(),
    };
  }
  const schema = await makeSchema();
  const url = new URL(schema.url);
  // Distinguishes these connections from all others on the server.
  const name = `torture-${/search_path=(\w+)/.exec(url.searchParams.get('options') ?? '')?.[1]}`.slice(0, 63);
  const control = new URL(url);
  url.searchParams.set('application_name', name);
  return {
    url: url.href,
    async cut() {
      const { rowCount } = await runOnPostgres(
        control.href,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
        [name],
      );
      return rowCount ?? 0;
    },
    async hold(until) {
      const outsider = new pg.Client({ connectionString: control.href });
      await outsider.connect();
      try {
        await outsider.query('BEGIN');
        await outsider.query(holdOne);
        await until();
      } finally {
        await outsider.end(); // This ends its transaction.
      }
    },
    drop: schema.drop,
  };
}

/** The domains of one license, chosen at random from the newest that have a domain. */
const holdOne = `
  SELECT 1 FROM activations WHERE license_id = (
    SELECT license_id FROM (SELECT DISTINCT license_id FROM activations ORDER BY license_id DESC LIMIT 6) AS newest
    ORDER BY random() LIMIT 1
  ) ORDER BY domain FOR UPDATE`;
