import { expect } from 'chai';
import { createManualClock } from '../../adapters/node/manual-clock.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { version } from '../../apps/wiring/version.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { makeSchema, postgresServer } from '../support/postgres-backend.ts';
import { itLong, needing } from '../support/required-service.ts';

const kinds = [
  { kind: 'memory', skip: undefined, make: async () => ({ url: 'memory:', drop: async () => undefined }) },
  { kind: 'postgres', skip: postgresServer.skip, make: makeSchema },
] as const;

for (const { kind, skip, make } of kinds) {
  needing(skip).describe(`the report of the system: ${kind}`, () => {
    itLong('reports versions, sizes, checks, work and mails, but no address of a server', async () => {
      const { url, drop } = await make();
      const clock = createManualClock(1_000_000_000_000);
      const settings = { DATABASE_URL: url, FILES_URL: 'temporary:', LOG_LEVEL: 'silent', RATE_LIMIT_URL: 'memory:' };
      const parts = await compose(readConfig(settings), { clock });
      try {
        const [show, accounts, mails] = [
          await parts.get(t.system),
          await parts.get(t.accounts),
          await parts.get(t.mails),
        ];
        good(await accounts.add({ name: 'Ada', email: 'ada@example.com', tier: 'free' }, operator));
        good(await mails.sendTest('ada@example.com', operator));
        const report = good(await show(operator));
        expect(report).to.deep.include({
          version,
          nodeVersion: process.version,
          files: 'temporary',
          limiter: { kind: 'memory', state: 'up' },
          mails: { queued: 1, sent: 0, kept: 0, failed: 0 },
        });
        expect(report.startedAt).to.be.below(clock.now());
        expect(report.checks).to.deep.equal({ ...report.checks, database: 'ok' });
        expect(report.work.mail).to.deep.equal({ count: 1, oldest: clock.now() });
        const { rows, bytes, ...database } = report.database;
        expect(database).to.deep.equal({ kind, areEstimates: kind === 'postgres' });
        expect(rows).to.deep.equal({ ...rows, users: 1, mails: 1, audit_log: 2, licenses: 0 });
        expect(bytes).to.be.above(10_000);
        expect(JSON.stringify(report)).to.not.match(/:\/\/|localhost|127\.0\.0\.1/);
        good(await accounts.add({ name: 'Bob', email: 'bob@example.com', tier: 'free' }, operator));
        expect(good(await show(operator)).database.rows.users, 'within a minute').to.equal(1);
        clock.advance(60_000);
        expect(good(await show(operator)).database.rows.users, 'after a minute').to.equal(2);
      } finally {
        await parts.close();
        await drop();
      }
    });
  });
}
