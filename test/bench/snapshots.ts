import { t } from '../../apps/wiring/tokens.ts';
import { steps } from '../../core/selling/usage-hours.ts';
import { takeSnapshot } from '../../core/selling/usage-snapshot.ts';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import type { Generator } from './generators.ts';
import { fire } from './load.ts';
import { withLatchkey } from './processes.ts';
import { verifying } from './scenarios.ts';
import { mintBindings, seed, withParts } from './seed.ts';
import { median, ratio } from './statistics.ts';

/** The hourly snapshot of the counters, on each database. */
export interface Snapshots {
  readonly domains: number;
  readonly found: Readonly<Partial<Record<DatabaseKind, Snapshot>>>;
}

export interface Snapshot {
  /** The first snapshot, which stores the counters of all licenses in use. */
  readonly first: number;
  /** A snapshot after verifications of a few thousand licenses, in seconds. */
  readonly seconds: number;
  /** The rate of verifications while another process takes snapshots without a pause, divided by the rate alone. */
  readonly beside: number;
}

/** The licenses that are verified. Most licenses do not change between two snapshots. */
const active = 2_000;
const rounds = 5;
/** Whole seconds of each load. */
const load = 4;

export async function measureSnapshots(
  folder: TemporaryFolder,
  databases: Databases,
  generator: Generator,
  { domains, seed: chance }: { readonly domains: number; readonly seed: number },
  tell: (line: string) => void,
): Promise<Snapshots> {
  const found: Partial<Record<DatabaseKind, Snapshot>> = {};
  const bindings = mintBindings(domains, chance);
  for (const kind of databases.kinds) {
    tell(`snapshots: ${domains} domains on ${kind}`);
    const url = await databases.create(kind);
    await seed(url, bindings);
    const often = bindings.filter((_, index) => index % Math.ceil(domains / active) === 0);
    found[kind] = await measureOn(url, verifying(often, chance), folder, generator);
  }
  return { domains, found };
}

async function measureOn(
  url: string,
  scenario: ReturnType<typeof verifying>,
  folder: TemporaryFolder,
  generator: Generator,
): Promise<Snapshot> {
  return await withParts(url, async (parts) => {
    const snapshots = await parts.get(t.usageSnapshots);
    // Hours of the future, so that the server does not take a snapshot of its own.
    let now = Date.now();
    const secondsOfOne = async () => {
      now += steps.hour;
      const began = performance.now();
      const result = await takeSnapshot(snapshots, { now: () => now });
      if (result !== 'taken') throw new Error(`The snapshot was ${result}.`);
      return (performance.now() - began) / 1_000;
    };
    const first = await secondsOfOne();
    return await withLatchkey(folder, { DATABASE_URL: url }, async ({ port }) => {
      const rate = async () => (await fire({ generator, folder, ports: [port], scenario, seconds: load })).rate;
      await rate();
      const rates = { alone: [] as number[], beside: [] as number[] };
      const seconds: number[] = [];
      for (let round = 0; round < rounds; round++) {
        rates.alone.push(await rate());
        seconds.push(await secondsOfOne());
        let isOver = false;
        const taking = (async () => {
          while (!isOver) await secondsOfOne();
        })();
        rates.beside.push(await rate());
        isOver = true;
        await taking;
      }
      return { first, seconds: median(seconds), beside: ratio(rates.beside, rates.alone) };
    });
  });
}
