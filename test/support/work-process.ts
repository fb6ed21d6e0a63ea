import { once } from 'node:events';
import { createSqlWorkQueue } from '../../adapters/sql/stores/work-queue.ts';
import { openAt } from './process-parts.ts';

// A process that claims and settles work until nothing is due at the given time. Usage: work-process.ts <database>
// <now> <until> [hold | wait]. Prints the subject ids of each claim as one JSON line, before it settles them. With
// `hold`, settles nothing. With `wait`, goes on after its first claim when its parent disconnects.

const [place = '', now = '', until = '', mode] = process.argv.slice(2);
const database = await openAt(place);
const queue = createSqlWorkQueue(database);
process.stdout.write('[]\n');
let isWaiting = mode === 'wait';
for (;;) {
  const works = await queue.claim({ now: Number(now), until: Number(until), most: 20 });
  if (works.length === 0) break;
  process.stdout.write(`${JSON.stringify(works.map(({ subjectId }) => subjectId))}\n`);
  if (isWaiting) {
    await once(process, 'disconnect');
    isWaiting = false;
  }
  if (mode === 'hold') continue;
  await queue.settle(works.map((work) => ({ work, outcome: { kind: 'done', result: 'sent' }, at: Number(now) })));
}
await database.close();
