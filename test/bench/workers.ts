import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { Databases } from './databases.ts';
import type { Generator } from './generators.ts';
import { check, fire } from './load.ts';
import { type Noise, watchNoise } from './noise.ts';
import { withLatchkey } from './processes.ts';
import { familyOf, timesOf, used } from './processor-time.ts';
import { type Scenario, verifying } from './scenarios.ts';
import { mintBindings, seed as seedDatabase } from './seed.ts';
import { median } from './statistics.ts';

/** The processor time of a verification with several processes, in microseconds an answer. */
export interface Scale {
  readonly name: string;
  /** The number of processes that answer. */
  readonly workers: number;
  /** Of all processes of the server. */
  readonly all: number;
  /** Of the primary alone. It is 0 with one process. */
  readonly primary: number;
  /** Of the database server. */
  readonly database: number;
  readonly noise?: Noise | undefined;
  /** `all`, divided by that of one process with the same limits. */
  readonly ratio: number;
}

const licenses = 2_000;
const addresses = 1_000;
/** Whole seconds of load. */
const seconds = { warmUp: 3, measured: 3 } as const;
const counts = [1, 2, 4, 8];

/** Measures verifications on Postgres with several processes, whose limits are kept in memory, or in Redis if there is one. */
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
  const found: Scale[] = [];
  for (const limits of ['memory:', ...(process.env.TEST_REDIS_URL ? [process.env.TEST_REDIS_URL] : [])]) {
    let one = Number.NaN;
    for (const workers of counts) {
      const name = `${workers} ${workers === 1 ? 'process' : 'workers'}, limits in ${limits.split(':')[0]}`;
      const settings = {
        DATABASE_URL: url,
        RATE_LIMIT_URL: limits,
        WORKERS: String(workers),
        TRUSTED_PROXIES: 'loopback',
      };
      const cost = await withLatchkey(folder, settings, async ({ port, pid }) => {
        const wrong = await check(port, scenario);
        if (wrong.length > 0) throw new Error(`${name}: ${wrong[0]}`);
        const load = { generator, folder, ports: [port], scenario };
        await fire({ ...load, seconds: seconds.warmUp });
        const family = familyOf(pid);
        const noises: (Noise | undefined)[] = [];
        const series: { all: number; primary: number; database: number }[] = [];
        for (let round = 0; round < rounds; round++) {
          const heard = watchNoise(family, () => databases.processesOf('postgres'));
          const [others, own, first] = [timesOf(databases.processesOf('postgres')), timesOf(family), timesOf([pid])];
          const { answers, wrong: refused } = await fire({ ...load, seconds: seconds.measured });
          if (refused.length > 0) throw new Error(`${name}: ${refused[0]}`);
          noises.push(heard(answers));
          series.push({
            all: used(own, timesOf(family)) / answers,
            primary: workers === 1 ? 0 : used(first, timesOf([pid])) / answers,
            database: used(others, timesOf(databases.processesOf('postgres'))) / answers,
          });
        }
        const of = (figure: 'all' | 'primary' | 'database') => median(series.map((round) => round[figure]));
        // Of the round in the middle.
        const noise = noises.toSorted((one, other) => (one?.others ?? 0) - (other?.others ?? 0))[noises.length >> 1];
        return { all: of('all'), primary: of('primary'), database: of('database'), noise };
      });
      if (workers === 1) one = cost.all;
      tell(`workers: ${name}: ${cost.all.toFixed(1)} µs, the primary ${cost.primary.toFixed(1)} µs`);
      found.push({ name, workers, ...cost, ratio: cost.all / one });
    }
  }
  return found;
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
