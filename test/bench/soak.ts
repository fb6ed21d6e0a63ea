import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import { fire } from './load.ts';
import { withLatchkey } from './processes.ts';
import { connections, verifying } from './scenarios.ts';
import { countVerifications, mintBindings, seed } from './seed.ts';
import { median } from './statistics.ts';
import type { Exactness } from './verifications.ts';

export interface SoakOptions {
  readonly kind: DatabaseKind;
  readonly seconds: number;
  readonly licenses: number;
  readonly seed: number;
}

export interface Soak {
  /** Bytes of resident memory after each piece. */
  readonly memory: readonly number[];
  /** The memory of the second half in proportion to that of the second tenth: 1 where it is flat. */
  readonly growth: number;
  readonly wrong: readonly string[];
  readonly exactness: Exactness;
}

/** Seconds between two looks at the memory, or a tenth of the whole where that is less. */
const piece = 10;

/** Verifies without a pause on one server, whose memory must not grow. */
export async function soak(
  folder: TemporaryFolder,
  databases: Databases,
  { kind, seconds, licenses, seed: chance }: SoakOptions,
  tell: (line: string) => void,
): Promise<Soak> {
  const url = await databases.create(kind);
  const bindings = mintBindings(licenses, chance);
  await seed(url, bindings);
  const asksOf = verifying(bindings, chance);
  const pieces = Math.max(10, Math.ceil(seconds / piece));
  const memory: number[] = [];
  const wrong: string[] = [];
  let answered = 0;
  await withLatchkey(folder, { DATABASE_URL: url }, async (server) => {
    for (let number = 1; number <= pieces; number++) {
      const volley = await fire({ ports: [server.port], connections, seconds: seconds / pieces, asksOf });
      const { rss } = await server.usage();
      answered += volley.valid;
      wrong.push(...volley.wrong);
      memory.push(rss);
      const passed = Math.round((number * seconds) / pieces);
      tell(`${passed} s: ${volley.rate.toFixed(0)} answers/s, ${(rss / 2 ** 20).toFixed(0)} MiB`);
    }
  });
  const database = `${kind}, ${licenses} licenses`;
  return {
    memory,
    growth: growthOf(memory),
    wrong,
    exactness: { database, answered, counted: await countVerifications(url) },
  };
}

function growthOf(memory: readonly number[]): number {
  const { length } = memory;
  const part = (from: number, to: number) => memory.slice(Math.floor(from * length), Math.ceil(to * length));
  return median(part(0.5, 1)) / median(part(0.1, 0.2));
}
