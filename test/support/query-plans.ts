import { expect } from 'chai';
import type { Knex } from 'knex';
import { isPostgres } from '../../adapters/sql/database.ts';
import { tablesOfSchema } from './postgres-tables.ts';

export interface Statement {
  readonly sql: string;
  readonly bindings: readonly Knex.RawBinding[];
}

/** Runs the work and returns the statements that it sent. */
export async function statementsOf(knex: Knex, work: () => Promise<unknown>): Promise<Statement[]> {
  const found: Statement[] = [];
  const note = ({ sql, bindings = [] }: Statement) => found.push({ sql, bindings });
  knex.on('query', note);
  await work().finally(() => knex.removeListener('query', note));
  expect(found).to.not.deep.equal([]);
  return found;
}

/** A node of a plan of Postgres. Its rows are those of one loop. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Loops'?: number;
  readonly 'Actual Rows'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns the plan of a statement on Postgres, with what it read if it `isRun`. */
export async function planOf(knex: Knex, { sql, bindings }: Statement, isRun = false): Promise<PlanNode[]> {
  const options = isRun ? 'ANALYZE, BUFFERS, FORMAT JSON' : 'FORMAT JSON';
  const { rows } = await knex.raw(`EXPLAIN (${options}) ${sql.replaceAll(/\$\d+/g, '?')}`, bindings);
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
}

/** Returns the steps of a statement on SQLite. */
export async function stepsOf(knex: Knex, { sql, bindings }: Statement): Promise<string[]> {
  const steps: { detail: string }[] = await knex.raw(`EXPLAIN QUERY PLAN ${sql}`, bindings);
  return steps.map(({ detail }) => detail);
}

function nodesOf(node: PlanNode): PlanNode[] {
  const { Plans = [], ...own } = node;
  return [own, ...Plans.flatMap(nodesOf)];
}

/** The rows that one statement of a page may read: its own, with a license for each, and some texts of these. */
const mostRows = 2_100;

/** Checks that a statement reads a bounded part of one index, and says which with `title` if it does not. */
export async function checkBounded(
  knex: Knex,
  statement: Statement,
  title: string,
  most: number = mostRows,
): Promise<void> {
  const at = `${title}: ${statement.sql}`;
  const isInOrder = statement.sql.includes('order by');
  if (isPostgres(knex)) {
    let read = 0;
    for (const node of await planOf(knex, statement, true)) {
      if (isInOrder) expect(node['Node Type'], at).to.not.match(/Sort|Bitmap|Gather/);
      if (node['Relation Name'] === undefined) continue;
      const loops = node['Actual Loops'] ?? 0;
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
      const rows = loops * ((node['Actual Rows'] ?? 0) + removed);
      read += rows;
      // Postgres does not count rows of an index that it passes over, but the blocks that they are in.
      const blocks = (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);
      expect(blocks, `${at}: ${JSON.stringify(node)}`).to.be.at.most(16 * loops + 3 * rows);
    }
    expect(read, at).to.be.at.most(most);
    return;
  }
  for (const step of await stepsOf(knex, statement)) {
    expect(step, at).to.match(
      /^(?:SEARCH \w+ USING|CORRELATED SCALAR|SCALAR|SCAN CONSTANT|CO-ROUTINE (?:looked|q)$|SCAN (?:looked|q)$|SCAN g VIRTUAL)/,
    );
    if (!/^SEARCH [lt] USING (?!INTEGER PRIMARY KEY \(rowid=\?\))/.test(step) || !isInOrder) continue;
    expect(step, at).to.match(
      /INDEX \w+ \((?:(?:\w+=\? AND )+(?:id[<>]\?|expires_at>\?|\(text,license_id\)>\(\?,\?\))|key>\?)\)$/,
    );
    // All columns that must be equal are found by the index.
    for (const [, column] of statement.sql.matchAll(/`[lt]`\.`(\w+)` = \?/g))
      expect(step, at).to.include(`${column}=?`);
  }
}

/** Renews the statistics of all tables. On Postgres only of this schema: those of other tests may be locked, or may be filled right now. */
export async function analyze(knex: Knex): Promise<void> {
  if (!isPostgres(knex)) return void (await knex.raw('ANALYZE'));
  await knex.raw(`ANALYZE ${await tablesOfSchema(knex)}`);
}
