import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { Databases } from './databases.ts';
import type { Generator } from './generators.ts';
import { check, connections, fire } from './load.ts';
import { type Noise, watchNoise } from './noise.ts';
import { type Running, withLatchkey } from './processes.ts';
import { familyOf, timesOf, used } from './processor-time.ts';
import { type Scenario, verifying } from './scenarios.ts';
import { mintBindings, seed as seedDatabase } from './seed.ts';
import { median, ratio } from './statistics.ts';

/** The processor time of a verification with several processes, in microseconds an answer. */
export interface Scale {
  readonly name: string;
  /** The number of processes of one service that answer. */
  readonly workers: number;
  /** Of all processes of the server. */
  readonly all: number;
  /** Of the primary alone. It is 0 with one process. */
  readonly primary: number;
  /** Of the database server. */
  readonly database: number;
  readonly noise?: Noise | undefined;
  /** `all`, divided by that of one process with the same limits in the same round. The middle of all rounds. */
  readonly ratio: number;
}

const licenses = 2_000;
const addresses = 1_000;
/** Whole seconds of load in a round, and before each look at the warm-up. */
const seconds = 3;

/** How several processes answer. Two services share only the database: what they take more than one, the machine takes. */
const ways = [
  { what: '2 services', services: 2, workers: 1 },
  { what: '2 workers', services: 1, workers: 2 },
  { what: '4 workers', services: 1, workers: 4 },
  { what: '8 workers', services: 1, workers: 8 },
];

/**
 * The number of answers of each process before it is measured. Until then, it compiles its code: with a warm-up of 3 seconds for all
 * processes together, eight workers needed 860 µs an answer, and 100 after 200,000 answers.
 */
const warmUp = 50_000;

/** What is started for a round. */
interface Started {
  readonly name: string;
  readonly limits: string;
  readonly services: number;
  readonly workers: number;
}

/** Figures of one round, in microseconds an answer. */
type Round = Pick<Scale, 'all' | 'primary' | 'database' | 'noise'>;

/**
 * Measures verifications on Postgres with several processes, whose limits are kept in memory, or in Redis if there is one.
 * One process and several take turns, so that other work on the machine disturbs both. Each process has as many connections as the
 * one process: who starts more processes has more calls. With fewer connections for each, batches would be smaller too.
 */
export async function measureWorkers(
  folder: TemporaryFolder,
  databases: Databases,
  generator: Generator,
  { seed, rounds }: { readonly seed: number; readonly rounds: number },
  tell: (line: string) => void,
): Promise<readonly Scale[]> {
  if (!databases.kinds.includes('postgres')) return [];
  const bindings = mintBindings(licenses, seed);
  const url = await databases.create('postgres');
  await seedDatabase(url, bindings);
  const scenario = fromAddresses(verifying(bindings, seed));

  /** Starts the services. Calls `work` with a function that measures one round. */
  async function withProcesses<T>(
    { name, limits, services, workers }: Started,
    work: (measure: () => Promise<Round>) => Promise<T>,
  ): Promise<T> {
    const settings = {
      DATABASE_URL: url,
      RATE_LIMIT_URL: limits,
      WORKERS: String(workers),
      TRUSTED_PROXIES: 'loopback',
    };
    return await withServices(folder, settings, services, async (running) => {
      const pids = running.map(({ pid }) => pid);
      const ports = running.map(({ port }) => port);
      for (const port of ports) {
        const wrong = await check(port, scenario);
        if (wrong.length > 0) throw new Error(`${name}: ${wrong[0]}`);
      }
      const processes = services * workers;
      const load = { generator, folder, ports, scenario, seconds, clients: processes * connections };
      const volley = async () => {
        const { answers, wrong: refused } = await fire(load);
        if (refused.length > 0) throw new Error(`${name}: ${refused[0]}`);
        return answers;
      };
      for (let answers = 0; answers < processes * warmUp; ) answers += await volley();
      const database = () => databases.processesOf('postgres');
      return await work(async () => {
        const family = pids.flatMap(familyOf);
        const heard = watchNoise(family, database);
        const [others, own, first] = [timesOf(database()), timesOf(family), timesOf(pids)];
        const answers = await volley();
        return {
          noise: heard(answers),
          all: used(own, timesOf(family)) / answers,
          primary: workers === 1 ? 0 : used(first, timesOf(pids)) / answers,
          database: used(others, timesOf(database())) / answers,
        };
      });
    });
  }

  const found: Scale[] = [];
  for (const limits of ['memory:', ...(process.env.TEST_REDIS_URL ? [process.env.TEST_REDIS_URL] : [])]) {
    const nameOf = (what: string) => `${what}, limits in ${limits.split(':')[0]}`;
    const note = (scale: Scale) => {
      tell(`workers: ${scale.name}: ${scale.all.toFixed(1)} µs, the primary ${scale.primary.toFixed(1)} µs`);
      found.push(scale);
    };
    const name = nameOf('1 process');
    await withProcesses({ name, limits, services: 1, workers: 1 }, async (measureOne) => {
      const ones: Round[] = [];
      const several: Scale[] = [];
      for (const { what, ...way } of ways) {
        const name = nameOf(what);
        await withProcesses({ name, limits, ...way }, async (measure) => {
          const [alone, together]: [Round[], Round[]] = [[], []];
          for (let round = 0; round < rounds; round++) {
            alone.push(await measureOne());
            together.push(await measure());
          }
          const [one, all] = [alone, together].map((series) => series.map((round) => round.all));
          several.push({ name, workers: way.workers, ratio: ratio(all ?? [], one ?? []), ...inTheMiddle(together) });
          ones.push(...alone);
        });
      }
      for (const scale of [{ name, workers: 1, ratio: 1, ...inTheMiddle(ones) }, ...several]) note(scale);
    });
  }
  return found;
}

/** Starts several services with the same settings for some work, and stops them. */
async function withServices<T>(
  folder: TemporaryFolder,
  settings: Record<string, string>,
  count: number,
  work: (running: readonly Running[]) => Promise<T>,
): Promise<T> {
  if (count === 0) return await work([]);
  return await withLatchkey(folder, settings, (one) =>
    withServices(folder, settings, count - 1, (others) => work([one, ...others])),
  );
}

function inTheMiddle(rounds: readonly Round[]): Round {
  const of = (figure: 'all' | 'primary' | 'database') => median(rounds.map((round) => round[figure]));
  const noises = rounds.map(({ noise }) => noise).toSorted((one, other) => (one?.others ?? 0) - (other?.others ?? 0));
  return { all: of('all'), primary: of('primary'), database: of('database'), noise: noises[noises.length >> 1] };
}

/** Sends each request as from another client. */
function fromAddresses(scenario: Scenario): Scenario {
  return {
    ...scenario,
    ask(index) {
      const address = index % addresses;
      const headers = { Accept: 'application/json', 'X-Forwarded-For': `10.0.${address >> 8}.${address & 255}` };
      return { ...scenario.ask(index), headers };
    },
  };
}
