import type { Command } from 'commander';
import { z } from 'zod';
import type { Parts } from '../wiring/compose.ts';
import { readConfig } from '../wiring/config.ts';
import { loadDriver, sqliteAdvice } from '../wiring/load-driver.ts';
import { t } from '../wiring/tokens.ts';
import { type Answer, type AnswerOptions, administer, answering, print, RefusedCommand, reads } from './action.ts';
import { createProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

const count = z
  .string()
  .regex(/^\d+$/, 'It must be a whole number.')
  .transform(Number)
  .refine((number) => number >= 2 && number <= 256, 'It must be from 2 to 256.');

export function addMaintenanceCommands(program: Command, terminal: Terminal): void {
  answering(program.command('migrate').description('Update the database, before a new version is started')).action(
    (options: AnswerOptions) =>
      administer(
        terminal,
        options,
        async (parts) => {
          const { migrated } = await parts.get(t.database);
          const text = migrated.length === 0 ? 'The database was up to date.' : `Applied ${migrated.join(', ')}.`;
          return { json: { migrations: migrated }, text };
        },
        { mustExist: false },
      ),
  );

  answering(
    program
      .command('partition')
      .description('Postgres: split the activated domains into several tables, while the servers run')
      .option('--count <n>', 'number of tables, 2 to 256', reads(count), 16)
      .option('--abandon', 'remove the copy that a failed partitioning has left'),
  ).action((options: AnswerOptions & { readonly count: number; readonly abandon?: true }) =>
    administer(terminal, options, (parts) => partition(parts, options, terminal)),
  );

  answering(
    program
      .command('reindex')
      .description(
        'Make the search index of products anew. Meanwhile no product can be changed or sold; SQLite: nothing can be written',
      ),
  ).action((options: AnswerOptions) =>
    administer(terminal, options, async (parts) => {
      const { remakeCatalogue } = await import('../../adapters/sql/catalogue/remake.ts');
      const products = await remakeCatalogue(await parts.get(t.database));
      return { json: { products }, text: `Products in the index: ${products}.` };
    }),
  );

  answering(
    program
      .command('check')
      .description('Check the whole SQLite file for damage. Changes nothing; the server may be running'),
  ).action(async ({ json }: AnswerOptions) => {
    const { DATABASE_URL: place } = readConfig(terminal.environment);
    if (place.kind !== 'sqlite') throw new RefusedCommand('check works with SQLite only. Postgres has pg_amcheck.');
    const { checkSqlite } = await loadDriver(() => import('../../adapters/sql/sqlite/check.ts'), sqliteAdvice);
    const findings = await checkSqlite(place.path);
    if (findings.length > 0) {
      throw new RefusedCommand(`The database file is damaged. Restore a backup.\n${findings.join('\n')}`);
    }
    await print(terminal.stdout, json ? JSON.stringify({ findings }, null, 2) : 'The database file is not damaged.');
  });
}

async function partition(
  parts: Parts,
  { count, abandon }: { readonly count: number; readonly abandon?: true },
  { stderr }: Terminal,
): Promise<Answer> {
  const { DATABASE_URL: place } = await parts.get(t.config);
  if (place.kind !== 'postgres') throw new RefusedCommand('partition works with Postgres only.');
  const { abandonPartitioning, partitionActivations, PartitioningRefused } = await import(
    '../../adapters/sql/postgres/partition.ts'
  );
  const database = await parts.get(t.database);
  if (abandon) {
    const abandoned = await abandonPartitioning(database);
    return { json: { abandoned }, text: abandoned ? 'The copy was removed.' : 'There was nothing to remove.' };
  }
  const progress = createProgress(stderr);
  try {
    const rows = await partitionActivations(database, count, progress);
    return { json: { partitions: count, rows }, text: `${rows} activated domains are in ${count} tables now.` };
  } catch (error) {
    if (error instanceof PartitioningRefused) throw new RefusedCommand(error.message);
    const why = error instanceof Error ? error.message : String(error);
    throw new RefusedCommand(
      `Partitioning failed: ${why} Until you run it again, or undo it with --abandon, each change is written twice.`,
    );
  } finally {
    progress.end();
  }
}
