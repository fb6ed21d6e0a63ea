import type { TemporaryFolder } from '../support/temporary-folder.ts';
import type { Databases } from './databases.ts';
import { withLatchkey } from './processes.ts';
import { median } from './statistics.ts';

/** Seconds from the start of the built server to its first answer. This includes the creation of the schema. */
export interface Starts {
  readonly each: readonly number[];
  readonly median: number;
}

export async function measureStarts(
  folder: TemporaryFolder,
  databases: Databases,
  count: number,
  tell: (line: string) => void,
): Promise<Starts> {
  tell(`starts: ${count}`);
  const each: number[] = [];
  for (let start = 0; start < count; start++) {
    const settings = { DATABASE_URL: await databases.create('sqlite') };
    each.push(await withLatchkey(folder, settings, async ({ startedIn }) => startedIn / 1000));
  }
  return { each, median: median(each) };
}
