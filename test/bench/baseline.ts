/**
 * What Latchkey is measured against, as a program: `baseline.ts <kind> <port> [<database>]`. `bare` answers the bytes of a
 * verification and does nothing else; `deferred` answers all that came in one turn together; `knex` does what verification does
 * in the usual way, a select and an update for each request, and `knex-locked` both in one transaction.
 */
import Router from '@koa/router';
import knex, { type Knex } from 'knex';
import Koa from 'koa';

const [kind, port, database = ''] = process.argv.slice(2);
const answer = () => ({ valid: true, license: { expires_at: null } });

const app = new Koa();
const router = new Router();
router.get('/verify', handlerOf(kind));
app.use(router.routes());
app.listen(Number(port), '127.0.0.1');

function handlerOf(kind: string | undefined): (ctx: Koa.Context) => void | Promise<void> {
  switch (kind) {
    case 'bare':
      return (ctx) => {
        ctx.body = answer();
      };
    case 'deferred':
      return deferred();
    case 'knex':
      return selectAndUpdate(open(database), (connection, work) => work(connection));
    case 'knex-locked':
      return selectAndUpdate(open(database), (connection, work) => connection.transaction(work));
    default:
      throw new Error(`There is no baseline ${kind}.`);
  }
}

function deferred(): (ctx: Koa.Context) => Promise<void> {
  let waiting: (() => void)[] = [];
  const release = () => {
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  };
  return async (ctx) => {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(release);
    });
    ctx.body = answer();
  };
}

/** In a transaction the rows are held until they are counted, as they must be for a valid answer to be true. */
function selectAndUpdate(
  database: Knex,
  within: (database: Knex, work: (connection: Knex) => Promise<object | undefined>) => Promise<object | undefined>,
): (ctx: Koa.Context) => Promise<void> {
  return async (ctx) => {
    const { license_key: key, domain } = ctx.query;
    const verdict = await within(database, async (connection) => {
      const row = await connection('licenses as l')
        .join('activations as a', 'a.license_id', 'l.id')
        .where({ 'l.key': key, 'a.domain': domain, 'l.standing': 'active' })
        .modify((query) => {
          if (connection.isTransaction) query.forUpdate();
        })
        .first('l.id', 'l.expires_at');
      if (row === undefined) return undefined;
      await connection('activations')
        .where({ license_id: row.id, domain })
        .update({ verification_count: connection.raw('verification_count + 1'), last_verified_at: Date.now() });
      return { valid: true, license: { expires_at: row.expires_at } };
    });
    if (verdict === undefined) ctx.status = 404;
    else ctx.body = verdict;
  };
}

function open(url: string): Knex {
  if (!url.startsWith('sqlite:')) return knex({ client: 'pg', connection: url, pool: { min: 0, max: 10 } });
  return knex({
    client: 'sqlite3',
    connection: { filename: url.slice('sqlite:'.length) },
    useNullAsDefault: true,
    pool: {
      min: 1,
      max: 1,
      afterCreate: (
        raw: { exec(sql: string, done: (error: Error | null) => void): void },
        done: (e: Error | null) => void,
      ) => raw.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000', done),
    },
  });
}
