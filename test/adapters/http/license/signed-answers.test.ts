import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { httpbis } from 'http-message-signatures';
import { t } from '../../../../apps/wiring/tokens.ts';
import { event } from '../../../../core/events/event.ts';
import type { SealedSecret } from '../../../../core/webhooks/endpoint.ts';
import { answering, openDoor } from '../../../apps/sdk/door.ts';
import { by } from '../../../support/by.ts';
import { type LeaseService, startLeaseService } from './lease-service.ts';

const asked = 'sig=("@status" "content-digest" "@path";req "@query";req);created;nonce="n-1"';

describe('a signed answer of verify', () => {
  let service: LeaseService;
  let key: string;
  before(async () => {
    service = await startLeaseService();
    key = await service.license();
  });
  after(() => service.close());

  const query = () => ({ license_key: key, domain: 'a.com' });
  const ask = (header: string, path = '/verify', more: Record<string, string> = {}) =>
    service.get(path, { ...query(), ...more }, { 'Accept-Signature': header });

  /** Whether http-message-signatures accepts the signature, for this request. */
  async function isSigned({ status, headers }: Awaited<ReturnType<typeof ask>>, url: string): Promise<boolean | null> {
    const { body } = await service.get('/.well-known/latchkey-keys.json');
    const publicKey = createPublicKey({ key: body.keys[0], format: 'jwk' });
    return await httpbis.verifyMessage(
      {
        keyLookup: async ({ keyid }) =>
          keyid !== undefined && keyid === body.keys[0].kid
            ? {
                id: keyid,
                algs: ['ed25519'],
                verify: async (data, signature) => verify(null, data, publicKey, signature),
              }
            : null,
        notAfter: new Date(service.clock.now()),
        requiredParams: ['created', 'keyid'],
      },
      { status, headers: Object.fromEntries(headers) },
      { method: 'GET', url, headers: {} },
    );
  }
  const urlOf = (path: string, more: Record<string, string> = {}) =>
    `${service.url}${path}?${new URLSearchParams({ ...query(), ...more })}`;

  for (const path of ['/verify', '/api/license/verify']) {
    it(`is accepted by http-message-signatures: ${path}`, async () => {
      const answer = await ask(asked, path);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('signature-input')).to.include(';nonce="n-1"');
      expect(answer.headers.get('content-digest')).to.equal(
        `sha-256=:${createHash('sha256').update(answer.text).digest('base64')}:`,
      );
      expect(await isSigned(answer, urlOf(path))).to.equal(true);
      expect(await isSigned({ ...answer, status: 404 }, urlOf(path))).to.equal(false);
      expect(await isSigned(answer, urlOf(path, { domain: 'b.com' }))).to.equal(false);
    });
  }

  it('has the same body and the same headers otherwise, and is counted', async () => {
    const count = async () => (await service.get('/status', { license_key: key })).body.license.verification_count;
    const before = await count();
    const [signed, plain] = [await ask(asked), await service.get('/verify', query())];
    expect(await count()).to.equal(before + 2);
    expect(signed.text).to.equal(plain.text);
    const names = ({ headers }: typeof plain) => [...headers.keys()];
    expect(names(signed).filter((name) => !names(plain).includes(name))).to.deep.equal([
      'content-digest',
      'signature',
      'signature-input',
    ]);
    expect(signed.headers.get('access-control-expose-headers')).to.include(',Signature,Signature-Input');
  });

  it('is checked by the code in the guide, which notices a proxy that swaps answers', async () => {
    const guide = await readFile(new URL('../../../../apps/docs/license-api.md', import.meta.url), 'utf8');
    const [, code = ''] = /```js\n(import[\s\S]*?)```/.exec(guide) ?? [];
    const { keys } = (await service.get('/.well-known/latchkey-keys.json')).body;
    const module = encodeURIComponent(code.replace('<public key of the server>', keys[0].x));
    const { signedAnswerOf } = await import(`data:text/javascript,${module}`);
    const ask = async (url: string): Promise<unknown> => signedAnswerOf(url).catch((error: Error) => error.message);
    const refused = 'This answer is not signed by the license server.';
    expect(await ask(urlOf('/verify'))).to.include({ valid: true });
    expect(await ask(urlOf('/verify', { domain: 'b.com' }))).to.include({ error: 'invalid_domain' });
    const { body, text, headers } = await service.get('/verify', query(), { 'Accept-Signature': asked });
    const signed = ['content-digest', 'signature-input', 'signature'];
    const kept = Object.fromEntries(signed.map((name) => [name, headers.get(name) ?? '']));
    await using door = await openDoor(() => service.url);
    for (const mode of [answering(200, body), answering(200, text, kept)]) {
      door.set(mode);
      expect(await ask(urlOf('/verify').replace(service.url, door.url))).to.equal(refused);
    }
  });

  it('can be a refusal', async () => {
    const answer = await ask(asked, '/verify', { domain: 'b.com' });
    expect(answer.body.error).to.equal('invalid_domain');
    expect(await isSigned(answer, urlOf('/verify', { domain: 'b.com' }))).to.equal(true);
  });

  it('covers what the request names, and repeats its label and its tag', async () => {
    const answer = await ask('a=("@method");created, one=("@status");tag="app";alg="ed25519"');
    expect(answer.headers.get('signature-input')).to.match(
      /^one=\("@status"\);created=\d+;keyid="[\w-]{43}";alg="ed25519";tag="app"$/,
    );
    expect(answer.headers.get('signature')).to.match(/^one=:/);
    expect(await isSigned(answer, urlOf('/verify'))).to.equal(true);
  });

  for (const [why, header] of [
    ['is malformed', 'sig=("@status"'],
    ['is no dictionary', '("@status")'],
    ['has an item in place of a list', 'sig="@status"'],
    ['covers nothing', 'sig=();created'],
    ['covers something twice', 'sig=("@status" "@status")'],
    ['covers a component of the request without saying so', 'sig=("@path")'],
    ['covers a component that it does not have', 'sig=("@authority";req)'],
    ['wants another algorithm', 'sig=("@status");alg="rsa-pss-sha512"'],
    ['wants another key', 'sig=("@status");keyid="mine"'],
    ['wants an end', 'sig=("@status");expires'],
    ['is very long', `sig=("@status");nonce="${'x'.repeat(1_000)}"`],
  ] as const) {
    it(`is not signed if the request for it ${why}`, async () => {
      const answer = await ask(header);
      expect([answer.status, answer.body.valid]).to.deep.equal([200, true]);
      expect(answer.headers.get('signature')).to.equal(null);
      expect(answer.headers.get('content-digest')).to.equal(null);
    });
  }

  it('is only one of verify', async () => {
    const answer = await service.get('/status', { license_key: key }, { 'Accept-Signature': asked });
    expect([answer.status, answer.headers.get('signature')]).to.deep.equal([200, null]);
  });

  it('is not signed while the key cannot be opened, and then a lease is refused with 503', async () => {
    const other = await startLeaseService();
    const about = { license_key: await other.license(), domain: 'a.com' };
    const store = await other.parts.get(t.leaseKeyStore);
    const pair = { kid: 'other', publicKey: 'other', privateKey: 'v1.other.x' as SealedSecret };
    await store.rotate(pair, 168, event('lease_key.rotated', pair.kid, by, other.clock.now()));
    other.clock.advance(60_000); // The keys are read again after half a minute.
    const verified = await other.get('/verify', about, { 'Accept-Signature': asked });
    const lease = await other.get('/lease', about);
    await other.close();
    expect([verified.status, verified.headers.get('signature')]).to.deep.equal([200, null]);
    expect([lease.status, lease.body.error, lease.body.valid]).to.deep.equal([503, 'service_unavailable', false]);
  });
});
