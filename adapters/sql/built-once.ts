import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { isPostgres } from './database.ts';
import { type ReadyRead, readDirectly, sendToPostgres, sendToSqlite } from './direct-read.ts';
import type { KeptText } from './postgres/named-reads.ts';

/** Stands for a value that is not known yet. */
class Slot {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

interface Built {
  readonly query: Knex.QueryBuilder;
  readonly sql: Knex.Sql;
  /** Outside of transactions, the read goes to the driver like this. */
  readonly ready: ReadyRead;
}

type Value = number | string | readonly string[];

/** More than this, and the shapes are not so few after all. */
const mostShapes = 500;

/**
 * Makes a read whose text is built once for each shape. Knex builds a text from its parts in 20 to 200 µs, which is more than a
 * short read costs. There must be few shapes. `make` gets stand-ins of the values: it may only compare columns with them.
 */
export function builtOnce<Shape extends string | number, Rows, Values extends readonly Value[]>(
  make: (knex: Knex, shape: Shape, ...values: Values) => Knex.QueryBuilder,
): (knex: Knex, shape: Shape, ...values: Values) => PromiseLike<Rows> {
  const made = { sqlite: new Map<Shape, Built>(), postgres: new Map<Shape, Built>() };

  function build(knex: Knex, shape: Shape, count: number): Built {
    const slots = Array.from({ length: count }, (_, index) => new Slot(index));
    const query = make(knex, shape, ...(slots as unknown as Values));
    const sql = query.toSQL();
    /** For sessions of Postgres that keep prepared statements. */
    const options: KeptText = { keepAs: createHash('sha1').update(sql.sql).digest('base64url') };
    const ready = { sql: knex.client.positionBindings(sql.sql), isFirst: sql.method === 'first', options };
    return { query, sql, ready };
  }

  return (knex, shape, ...values) => {
    const isOnPostgres = isPostgres(knex);
    const shapes = made[isOnPostgres ? 'postgres' : 'sqlite'];
    let built = shapes.get(shape);
    if (built === undefined) {
      built = build(knex, shape, values.length);
      if (shapes.size >= mostShapes) shapes.clear();
      shapes.set(shape, built);
    }
    const { query, sql, ready } = built;
    const bindings = sql.bindings.map((one: unknown) => (one instanceof Slot ? values[one.index] : one));
    if (knex.isTransaction !== true) {
      const send = isOnPostgres ? sendToPostgres : sendToSqlite;
      return readDirectly(knex.client, send, ready, bindings) as Promise<Rows>;
    }
    // Runs as the query itself would, on the connection of this transaction.
    const statement = { ...sql, bindings };
    return Object.assign(Object.create(query), { client: knex.client, toSQL: () => statement });
  };
}
