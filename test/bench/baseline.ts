/**
 * What Latchkey is measured against, as a program: `baseline.ts bare|deferred|knex <port> [<database>]`. The bare route answers
 * the bytes of a verification and does nothing else; the deferred one answers all that came in one turn together; the last
 * does what verification does in the usual way: a select and an update for each request.
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
      return selectAndUpdate(open(database));
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

function selectAndUpdate(connection: Knex): (ctx: Koa.Context) => Promise<void> {
  return async (ctx) => {
    const { license_key: key, domain } = ctx.query;
    const row = await connection('licenses as l')
      .join('activations as a', 'a.license_id', 'l.id')
      .where({ 'l.key': key, 'a.domain': domain, 'l.standing': 'active' })
      .first('l.id', 'l.expires_at');
    if (row === undefined) {
      ctx.status = 404;
      return;
    }
    await connection('activations')
      .where({ license_id: row.id, domain })
      .update({ verification_count: connection.raw('verification_count + 1'), last_verified_at: Date.now() });
    ctx.body = { valid: true, license: { expires_at: row.expires_at } };
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
