import { migrate } from '../../adapters/sql/migrate.ts';
import { parseLicenseKey } from '../../core/licensing/license-key.ts';
import type { Stores } from './backends.ts';
import { actOn, domain, must, outcome } from './license-acts.ts';
import { openUnmigrated } from './raw-sqlite.ts';
import type { Message, Task } from './sqlite-process.ts';
import { openSqliteStores } from './sqlite-stores.ts';

// The process that `startWorker` starts. It ends when its parent disconnects.

let stores: Stores | undefined;

async function perform(task: Task): Promise<string[]> {
  switch (task.op) {
    case 'open':
      stores = await openSqliteStores(task.file);
      return [];
    case 'close':
      await stores?.close();
      return [];
    case 'hang in migration':
      return await new Promise((resolve, reject) => {
        const { write } = openUnmigrated(task.file);
        const hanging: typeof write = (work) =>
          write(async (trx) => {
            const result = await work(trx);
            const tables = (await trx('sqlite_schema').pluck('name')).map(String);
            if (tables.length === 0) return result; // This transaction only looked for missing migrations.
            resolve(tables);
            return await new Promise(() => setInterval(() => {}, 1000));
          });
        migrate({ write: hanging }).catch(reject);
      });
    case 'activate':
    case 'deactivate':
    case 'verify': {
      const act = actOn(must(stores).licenses)[task.op];
      const key = must(parseLicenseKey(task.key));
      return await Promise.all(task.domains.map(async (name) => outcome(await act(key, domain(name), Date.now()))));
    }
  }
}

function send(message: Message): void {
  process.send?.(message);
}

process.on('message', (task: Task) => {
  perform(task).then(
    (answer) => send({ answer }),
    (error: unknown) => send({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
send({ answer: [] });
