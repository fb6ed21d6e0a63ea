declare module 'knex/lib/dialects/sqlite3/index.js' {
  import { knex } from 'knex';
  export default class Client_SQLite3 extends knex.Client {
    _query(connection: unknown, query: { sql: string }): Promise<unknown>;
  }
}
