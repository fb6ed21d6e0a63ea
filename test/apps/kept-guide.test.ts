import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { variables } from '../../apps/wiring/settings.ts';
import { browserLife } from '../../core/accounts/known-browser.ts';
import { sessionLife } from '../../core/accounts/session.ts';
import { keptFor as mailsKeptFor } from '../../core/mail/mail.ts';
import { keptFor as noticesKeptFor } from '../../core/notifications/notification.ts';
import { unpaidKeptFor } from '../../core/purchases/forgetting.ts';
import { keptFor as eventsKeptFor } from '../../core/webhooks/delivery.ts';
import { backends, openForEach } from '../support/backends.ts';
import { itLong } from '../support/required-service.ts';

const day = 24 * 3_600_000;
const heading = 'What is kept how long';

/** The full-text index. On Postgres it is a column. */
const onlyInSqlite = 'catalogue_search';

interface Row {
  readonly tables: readonly string[];
  readonly kept: string;
}

/** Returns the table under the heading. */
async function rowsOfGuide(): Promise<Row[]> {
  const text = await readFile(new URL('../../apps/docs/operating.md', import.meta.url), 'utf8');
  const [, part = ''] = text.split(`## ${heading}\n`);
  const [, table = ''] = /\| Tables \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(part) ?? [];
  return table
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, tables = '', , kept = ''] = line.split('|').map((cell) => cell.trim());
      return { tables: Array.from(tables.matchAll(/`([^`]+)`/g), ([, name = '']) => name), kept };
    });
}

for (const backend of backends) {
  describe(`the guide to what is kept how long: ${backend.name}`, () => {
    const stores = openForEach(backend);

    itLong('names each table of the database once, and no other', async () => {
      const named = (await rowsOfGuide()).flatMap(({ tables }) => tables);
      const here = named.filter((name) => name !== onlyInSqlite || backend.name !== 'postgres');
      expect(new Set(named).size).to.equal(named.length);
      expect(here.toSorted()).to.deep.equal((await stores.tables()).toSorted());
    });
  });
}

describe('the guide to what is kept how long', () => {
  it('says the times that the code has, and the settings', async () => {
    const rows = await rowsOfGuide();
    const keptIn = (table: string) => rows.find(({ tables }) => tables.includes(table))?.kept;
    const times: Readonly<Record<string, readonly number[]>> = {
      mails: [mailsKeptFor],
      notifications: [noticesKeptFor],
      webhook_events: [eventsKeptFor],
      orders: [unpaidKeptFor],
      known_browsers: [browserLife],
      sessions: [sessionLife.idle, sessionLife.absolute],
    };
    for (const [table, all] of Object.entries(times)) {
      for (const time of all) expect(keptIn(table), table).to.match(new RegExp(`\\b${time / day} days\\b`));
    }
    const settings = rows.flatMap(({ kept }) => Array.from(kept.matchAll(/`([A-Z_]+)`/g), ([, name]) => name));
    expect(settings).to.include.members(['AUDIT_RETENTION', 'DEPLOYMENT_RETENTION']);
    expect(Object.keys(variables)).to.include.members(settings);
  });
});
