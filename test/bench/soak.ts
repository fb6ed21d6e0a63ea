import { setTimeout } from 'node:timers/promises';
import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { DatabaseKind, Databases } from './databases.ts';
import { type Exactness, exactnessOf } from './exactness.ts';
import type { Generator } from './generators.ts';
import { connections, fire } from './load.ts';
import { withLatchkey } from './processes.ts';
import { verifying } from './scenarios.ts';
import { mintBindings, seed } from './seed.ts';
import { median } from './statistics.ts';

export interface SoakOptions {
  readonly kind: DatabaseKind;
  /** Approximate, because each part lasts whole seconds. */
  readonly seconds: number;
  readonly licenses: number;
  readonly seed: number;
}

export interface Soak {
  /** Bytes of resident memory after each part. */
  readonly memory: readonly number[];
  /** Memory in the second half, divided by memory in the second tenth. 1 means no growth. */
  readonly growth: number;
  readonly wrong: readonly string[];
  readonly exactness: Exactness;
}

/** The number of parts. Memory is measured after each. */
const pieces = 20;

/** Verifies without a pause on one server. Its memory must not grow. */
export async function soak(
  folder: TemporaryFolder,
  databases: Databases,
  generator: Generator,
  { kind, seconds, licenses, seed: chance }: SoakOptions,
  tell: (line: string) => void,
): Promise<Soak> {
  const url = await databases.create(kind);
  const bindings = mintBindings(licenses, chance);
  await seed(url, bindings);
  const scenario = verifying(bindings, chance);
  const piece = Math.max(1, Math.round(seconds / pieces));
  const memory: number[] = [];
  const wrong: string[] = [];
  let received = 0;
  return await withLatchkey(folder, { DATABASE_URL: url }, async (server) => {
    for (let number = 1; number <= pieces; number++) {
      const volley = await fire({ generator, folder, ports: [server.port], scenario, seconds: piece });
      const bytes = await server.memory();
      received += volley.answers;
      wrong.push(...volley.wrong);
      memory.push(bytes);
      tell(`${number * piece} s: ${volley.rate.toFixed(0)} answers/s, ${(bytes / 2 ** 20).toFixed(0)} MiB`);
    }
    // The server may still handle requests that were in flight at the end of the last load.
    await setTimeout(500);
    const load = { received, due: received, inFlight: pieces * connections };
    const exactness = await exactnessOf(`${kind}, ${licenses} licenses`, [server], url, load);
    return { memory, growth: growthOf(memory), wrong, exactness };
  });
}

function growthOf(memory: readonly number[]): number {
  const { length } = memory;
  const part = (from: number, to: number) => memory.slice(Math.floor(from * length), Math.ceil(to * length));
  return median(part(0.5, 1)) / median(part(0.1, 0.2));
}
