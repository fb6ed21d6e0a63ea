import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { plans } from '../../../../core/accounts/tier.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const minute = 60_000;
const day = 86_400_000;
const [{ limit }, { limit: daily }] = plans.free.allowances;

describe('the use of the account API', () => {
  const usageOf = async ({ parts }: AccountService, { user }: Account) => {
    await (await parts.get(t.usageMeter)).save();
    return await (await parts.get(t.accountUsage)).usageOf(user);
  };
  const call = (account: Account, times: number, path = '/api/auth/me') =>
    Promise.all(Array.from({ length: times }, () => account.get(path)));

  itLong(
    'has the calls of this minute, of the day and of the last 30 days; refused calls are counted apart',
    async () => {
      await using service = await startAccountService({ RATE_LIMIT_URL: 'memory:' });
      const { clock } = service;
      const [ada, bob] = [await service.account(), await service.account()];
      const began = clock.now();
      await call(ada, limit + 3);
      await call(bob, 1, '/api/nowhere');
      clock.advance(minute);
      await call(ada, 2);
      expect(await usageOf(service, bob)).to.deep.include({ day: { used: 1, limit: daily, resetAt: began + day } });
      const { minute: now, day: today, days } = await usageOf(service, ada);
      expect(now).to.deep.equal({ used: 2, limit, resetAt: began + 2 * minute });
      expect(today).to.deep.equal({ used: limit + 2, limit: daily, resetAt: began + day });
      expect(days).to.have.lengthOf(30);
      expect([days.at(0), days.at(-2), days.at(-1)]).to.deep.equal([
        { day: '2025-12-03', calls: 0, refused: 0 },
        { day: '2025-12-31', calls: 0, refused: 0 },
        { day: '2026-01-01', calls: limit + 2, refused: 3 },
      ]);
      expect(await usageOf(service, ada)).to.deep.equal({ minute: now, day: today, days });
    },
  );

  itLong('starts a new day at midnight in UTC, and forgets a day after 30 days', async () => {
    await using service = await startAccountService({ RATE_LIMIT_URL: 'memory:' });
    const ada = await service.account();
    service.clock.advance(day - 1);
    await call(ada, 1);
    service.clock.advance(1);
    await call(ada, 2);
    const counts = async () => (await usageOf(service, ada)).days.map(({ calls }) => calls);
    expect((await counts()).slice(-2)).to.deep.equal([1, 2]);
    service.clock.advance(28 * day);
    expect((await counts()).slice(0, 2)).to.deep.equal([1, 2]);
    service.clock.advance(day);
    expect((await counts()).slice(0, 2)).to.deep.equal([2, 0]);
  });

  itLong('is counted without rate limits too, and then has no limits to show', async () => {
    await using service = await startAccountService({ RATE_LIMIT_URL: 'off:' });
    const ada = await service.account();
    await call(ada, limit + 5);
    const { minute: now, day: today, days } = await usageOf(service, ada);
    expect([now, today]).to.deep.equal([undefined, undefined]);
    expect(days.at(-1)).to.deep.equal({ day: '2026-01-01', calls: limit + 5, refused: 0 });
  });

  itLong('does not include calls without a valid key, preflights, and calls of the license API', async () => {
    await using service = await startAccountService({ RATE_LIMIT_URL: 'memory:' });
    const ada = await service.account();
    await service.send('/api/auth/me');
    await service.send('/api/auth/me', { headers: { 'X-API-Key': `${ada.key.slice(0, -1)}x` } });
    await ada.send('/api/auth/me', { method: 'OPTIONS' });
    await ada.get('/verify?license_key=x&domain=a.com');
    await ada.post('/activate', {});
    await usageOf(service, ada);
    expect(await service.rows('account_usage')).to.deep.equal([]);
  });

  itLong('is added later, once, if the database fails', async () => {
    await using service = await startAccountService({ RATE_LIMIT_URL: 'memory:' });
    const ada = await service.account();
    const meter = await service.parts.get(t.usageMeter);
    const rename = (from: string, to: string) => service.database.write((trx) => trx.schema.renameTable(from, to));
    await rename('account_usage', 'gone');
    await call(ada, 3);
    expect(await meter.save().catch(() => 'failed')).to.equal('failed');
    await call(ada, 2);
    await rename('gone', 'account_usage');
    expect((await usageOf(service, ada)).days.at(-1)).to.include({ calls: 5 });
    expect((await usageOf(service, ada)).days.at(-1)).to.include({ calls: 5 });
  });
});
