import { expect } from 'chai';
import { isRefused } from '../../../../core/refusal.ts';
import { operator } from '../../../support/by.ts';
import { itLong } from '../../../support/required-service.ts';
import { type Account, type AccountService, startAccountService } from './account-service.ts';

const minute = 60_000;

describe('API keys over the account API', () => {
  let service: AccountService;
  let ada: Account;
  let eve: Account;
  beforeEach(async () => {
    service = await startAccountService();
    [ada, eve] = [await service.account('free'), await service.account('free')];
  });
  afterEach(() => service.close());

  const revoke = (account: Account, id: number | string) => account.send(`/api/keys/${id}`, { method: 'DELETE' });
  const works = async (account: Account) => (await account.get('/api/templates')).status === 200;

  describe('GET /api/keys', () => {
    it("200 with all keys of the caller, newest first, and none of others'", async () => {
      service.clock.advance(minute);
      const expiresAt = service.clock.now() + minute;
      const test = await service.keyOf(ada.user, { name: 'CI', mode: 'test', scopes: ['templates:read'], expiresAt });
      const revoked = await service.keyOf(ada.user, { name: 'old' });
      await service.accounts.revokeKey(String(revoked.keyId), operator);
      const { status, body } = await ada.get('/api/keys');
      expect(status).to.equal(200);
      const common = { mode: 'live', scopes: null, created_at: '2026-01-01T00:01:00.000Z', last_used_at: null };
      const shown = ({ key, keyId }: Account) => ({ id: keyId, prefix: key.slice(0, -28), last_four: key.slice(-4) });
      expect(body).to.deep.equal({
        keys: [
          { ...common, ...shown(revoked), name: 'old', expires_at: null, revoked_at: '2026-01-01T00:01:00.000Z' },
          {
            ...{ ...common, ...shown(test), name: 'CI', mode: 'test', scopes: ['templates:read'] },
            ...{ expires_at: '2026-01-01T00:02:00.000Z', revoked_at: null },
          },
          {
            ...{ ...common, ...shown(ada), name: 'test', created_at: '2026-01-01T00:00:00.000Z' },
            ...{ last_used_at: '2026-01-01T00:01:00.000Z', expires_at: null, revoked_at: null },
          },
        ],
      });
    });

    itLong('200 without a key or a digest of a key', async () => {
      const { text } = await ada.get('/api/keys');
      const [row] = await service.rows('api_keys');
      expect(text).to.not.include(ada.key);
      expect(text).to.not.include(String(row?.digest));
    });

    it('403 without the scope account:read', async () => {
      const account = await service.keyOf(ada.user, { scopes: ['templates:read', 'webhooks:write'] });
      const { status, body } = await account.get('/api/keys');
      expect(status).to.equal(403);
      expect(body.error).to.deep.equal({ code: 'FORBIDDEN', message: 'The API key lacks the scope account:read.' });
    });

    itLong('405 for POST, because an API key cannot make another one', async () => {
      const { status, headers } = await ada.post('/api/keys', { name: 'more' });
      expect(status).to.equal(405);
      expect(headers.get('allow')).to.equal('GET, HEAD');
    });
  });

  describe('DELETE /api/keys/:id', () => {
    it('200 with the revoked key, which stops at once, and an event with the owner as actor', async () => {
      const other = await service.keyOf(ada.user);
      const { status, body } = await revoke(ada, other.keyId);
      expect(status).to.equal(200);
      expect(body.key).to.include({ id: other.keyId, revoked_at: '2026-01-01T00:00:00.000Z' });
      expect(body.key).to.not.have.property('digest');
      expect([await works(other), await works(ada)]).to.deep.equal([false, true]);
      const event = (await service.rows('audit_log')).at(-1);
      expect(event).to.include({ type: 'key.revoked', actor: ada.user.email, subject: body.key.prefix });
    });

    itLong('200 again for a key that is revoked, without another event', async () => {
      const other = await service.keyOf(ada.user);
      const first = await revoke(ada, other.keyId);
      const events = (await service.rows('audit_log')).length;
      service.clock.advance(minute);
      const again = await revoke(ada, other.keyId);
      expect([again.status, again.text]).to.deep.equal([200, first.text]);
      expect(await service.rows('audit_log')).to.have.lengthOf(events);
    });

    itLong('200 for the key itself, whatever its scopes and its mode are', async () => {
      for (const mode of ['live', 'test'] as const) {
        const narrow = await service.keyOf(ada.user, { mode, scopes: [] });
        expect((await revoke(narrow, narrow.keyId)).status).to.equal(200);
        expect((await revoke(narrow, narrow.keyId)).status).to.equal(401);
      }
    });

    itLong('200 for a test key with all scopes that revokes another test key', async () => {
      const [one, other] = [
        await service.keyOf(ada.user, { mode: 'test' }),
        await service.keyOf(ada.user, { mode: 'test' }),
      ];
      expect((await revoke(one, other.keyId)).status).to.equal(200);
    });

    it('401 without a key, and revokes nothing', async () => {
      expect((await service.send(`/api/keys/${ada.keyId}`, { method: 'DELETE' })).status).to.equal(401);
      expect(await works(ada)).to.equal(true);
    });

    it('403 for another key if the own one lacks a scope, and revokes nothing', async () => {
      const narrow = await service.keyOf(ada.user, { scopes: ['account:read'] });
      const { status, body } = await revoke(narrow, ada.keyId);
      expect(status).to.equal(403);
      const message = 'To revoke another API key, an API key needs all scopes.';
      expect(body.error).to.deep.equal({ code: 'FORBIDDEN', message });
      expect(await works(ada)).to.equal(true);
    });

    it('403 for a live key if the own one is a test key, and revokes nothing', async () => {
      const test = await service.keyOf(ada.user, { mode: 'test' });
      const { status, body } = await revoke(test, ada.keyId);
      expect(status).to.equal(403);
      expect(body.error).to.deep.equal({ code: 'FORBIDDEN', message: 'A test key cannot revoke a live key.' });
      expect(await works(ada)).to.equal(true);
    });

    itLong("404 in the same words for another user's key, an unknown id and a text, and revokes nothing", async () => {
      const narrow = await service.keyOf(ada.user, { scopes: [] });
      const texts = new Set<string>();
      for (const account of [ada, narrow]) {
        for (const id of [eve.keyId, 999, '9999999999', '0', '-1', 'lk_sk_live_', 'x', '%F0%9F%98%80']) {
          const { status, text } = await revoke(account, id);
          expect(status, String(id)).to.equal(404);
          texts.add(text);
        }
      }
      expect(texts.size).to.equal(1);
      expect(await works(eve)).to.equal(true);
    });

    it('405 with Allow for every other method', async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS']) {
        const { status, headers } = await ada.send(`/api/keys/${ada.keyId}`, { method });
        expect([status, headers.get('allow')], method).to.deep.equal([405, 'DELETE']);
      }
    });

    itLong('422 for an id that is too long', async () => {
      expect((await revoke(ada, '1'.repeat(201))).status).to.equal(422);
    });

    itLong('429 over the limit of the plan, and revokes nothing', async () => {
      await using limited = await startAccountService({ RATE_LIMIT_URL: 'memory:' });
      const account = await limited.account('free');
      const other = await limited.keyOf(account.user);
      for (let call = 0; call < 30; call++) await account.get('/api/keys');
      const { status, headers } = await revoke(account, other.keyId);
      expect(status).to.equal(429);
      expect(headers.get('retry-after')).to.equal('60');
      limited.clock.advance(minute);
      expect(await works(other)).to.equal(true);
    });
  });

  itLong('both work until the overlap of a rotation is over, then only the new key works', async () => {
    const narrow = await service.keyOf(ada.user, { scopes: ['templates:read'] });
    const rotated = await service.accounts.rotateKey(String(narrow.keyId), 60, operator);
    if (isRefused(rotated)) throw new Error(rotated.reason);
    const statusOf = async (key: string, path = '/api/templates') =>
      (await service.send(path, { headers: { 'X-API-Key': key } })).status;
    service.clock.advance(minute - 1);
    expect([await statusOf(narrow.key), await statusOf(rotated.secret)]).to.deep.equal([200, 200]);
    service.clock.advance(1);
    expect([await statusOf(narrow.key), await statusOf(rotated.secret)]).to.deep.equal([401, 200]);
    expect(await statusOf(rotated.secret, '/api/auth/me')).to.equal(403);
  });
});
