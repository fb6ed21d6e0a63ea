import { expect } from 'chai';
import { type OpenService, openService } from '../../apps/server/open-service.ts';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import { isRefused } from '../../core/refusal.ts';
import { operator } from '../support/by.ts';
import { eventually } from '../support/eventually.ts';
import { actOn, addProduct, domain, issuedAt, keyNumber, newLicense } from '../support/license-acts.ts';
import { makeDatabase, postgresServer } from '../support/postgres-backend.ts';
import { needing } from '../support/required-service.ts';

const key = keyNumber(1);

needing(postgresServer.skip).describe('a service whose Postgres is read-only for a while', () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let service: OpenService;
  let apiKey: string;

  before(async () => {
    database = await makeDatabase();
    const settings = {
      DATABASE_URL: database.url,
      FILES_URL: 'temporary:',
      RATE_LIMIT_URL: 'off:',
      LOG_LEVEL: 'silent',
      PORT: '0',
    };
    service = await openService(readConfig(settings), compose, 'localhost');
    const accounts = await service.parts.get(t.accounts);
    await accounts.add({ name: 'Ada', email: 'ada@example.com', tier: 'free' }, operator);
    const made = await accounts.createKey(
      'ada@example.com',
      { name: 'test', mode: 'live', scopes: null, expiresAt: null },
      operator,
    );
    apiKey = isRefused(made) ? '' : made.secret;
    const act = actOn(await service.parts.get(t.licenseStore));
    await act.issue(newLicense(key, await addProduct(await service.parts.get(t.productStore))));
    await act.activate(key, domain('shop.example'), issuedAt);
  });
  after(async () => {
    await service?.close(0);
    await database?.drop();
  });

  const url = (path: string) => `http://localhost:${service.port}${path}`;
  const outcomeOf = ({ status, headers }: Response) => ({ status, retryAfter: headers.get('Retry-After') });
  const ready = async () => (await fetch(url('/health/ready'))).status;
  const verify = async () => outcomeOf(await fetch(url(`/verify?license_key=${key}&domain=shop.example`)));
  let deployments = 0;
  const register = async () =>
    outcomeOf(
      await fetch(url('/api/deploy/register'), {
        method: 'POST',
        headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          chain: 'sepolia',
          chain_id: 11155111,
          address: `0x${'5f'.repeat(20)}`,
          tx_hash: `0x${String(++deployments).padStart(64, '0')}`,
        }),
      }),
    );

  it('returns 503 with Retry-After, is not ready, and replaces its connections until they can write', async () => {
    const fine = { status: 200, retryAfter: null };
    const later = { status: 503, retryAfter: '1' };
    expect(await verify()).to.deep.equal(fine);
    expect(await register()).to.deep.equal(fine);
    expect(await ready()).to.equal(200);

    await database.set('default_transaction_read_only = on');
    await database.terminate();
    for (let call = 0; call < 3; call++) {
      expect(await verify()).to.deep.equal(later);
      expect(await register()).to.deep.equal(later);
    }
    await eventually('the service is not ready', async () => (await ready()) === 503);

    // Here nobody ends the connections of this server. The pool must close those that cannot write.
    await database.set('default_transaction_read_only = off');
    await eventually('the service is ready again', async () => (await ready()) === 200);
    expect(await verify()).to.deep.equal(fine);
    expect(await register()).to.deep.equal(fine);
  });
});
