import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { backUp } from '../../adapters/sql/backup.ts';
import { refuse } from '../../core/refusal.ts';
import { t } from '../tokens.ts';
import { type AnswerOptions, administer, answering } from './action.ts';

export function addMaintenanceCommands(program: Command): void {
  answering(
    program.command('migrate').description('Bring the database up to date, ahead of the start of a new version'),
  ).action((options: AnswerOptions) =>
    administer(options, async (parts) => {
      const { migrated } = await parts.get(t.database);
      const text = migrated.length === 0 ? 'The database was up to date.' : `Took ${migrated.join(', ')}.`;
      return { json: { migrations: migrated }, text };
    }),
  );

  answering(
    program
      .command('backup')
      .description('Write a consistent copy of the database, while the server runs')
      .argument('<file>', 'where the copy goes; nothing is overwritten'),
  ).action((name: string, options: AnswerOptions) =>
    administer(options, async (parts) => {
      const { DATABASE_URL } = await parts.get(t.config);
      if (DATABASE_URL.kind !== 'sqlite') {
        return refuse('not_sqlite', 'Only SQLite is backed up like this: use the tools of your database.');
      }
      if (!existsSync(DATABASE_URL.path)) {
        return refuse('no_database', `There is no database ${DATABASE_URL.path}.`);
      }
      const file = resolve(name);
      const { bytes } = await backUp(await parts.get(t.database), file);
      return { json: { backup: { file, bytes } }, text: `Wrote ${file} (${bytes} bytes).` };
    }),
  );
}
