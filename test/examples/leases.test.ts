import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { answering, type Door, openDoor } from '../apps/sdk/door.ts';
import { claimsOf, headerOf, type leaseVectors, signedBy, testKeys } from '../support/lease-vectors.ts';
import { needing } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Asked, interpreters, type Told } from './interpreters.ts';

const hour = 3600;
const day = 24 * hour;
const domain = 'shop.example.com';
const key = 'LIC-7H2K-9QWX-M4TB-C0VJ';
const issuer = 'https://licenses.example.com';
const keys = testKeys('a key of a test');
const vectors: ReturnType<typeof leaseVectors> = JSON.parse(
  await readFile(new URL('../../apps/docs/vectors/leases.json', import.meta.url), 'utf8'),
);

for (const language of interpreters) {
  needing(language.skipLeases).describe(`leases in the example for ${language.name}`, () => {
    let door: Door;
    let folder: TemporaryFolder;
    let asked: Asked;
    beforeEach(async () => {
      folder = await makeTemporaryFolder();
      door = await openDoor(() => issuer);
      asked = {
        ...{ url: door.url, key, domain, file: folder.file('license.json'), shift: 0 },
        ...{ publicKeys: [keys.publicKey], issuer: `${issuer}/` },
      };
    });
    afterEach(async () => {
      await door[Symbol.asyncDispose]();
      await folder.remove();
    });

    /** A lease that is issued so many seconds from now. */
    function leaseText(shift = 0, more: object = {}, by = keys): string {
      const claims = { ...claimsOf(Math.floor(Date.now() / 1000) + shift, issuer, domain, key), ...more };
      return signedBy(by, headerOf(by), claims);
    }
    /** The server gives a lease that is issued so many seconds from now. */
    function lease(shift = 0): void {
      door.set(answering(200, { valid: true, lease: leaseText(shift) }));
    }

    const later = (shift: number, more: Partial<Asked> = {}): Promise<Told> =>
      language.run({ ...asked, shift, ...more });

    it('are read as the vectors say', async () => {
      const found = await language.results(vectors);
      expect(vectors.cases.map(({ name }, n) => [name, found[n]])).to.deep.equal(
        vectors.cases.map(({ name, result }) => [name, result]),
      );
    });

    it('keep a license valid through an outage of 6 days, and not on the 8th', async () => {
      lease();
      const first = await later(0);
      expect(first).to.include({ state: 'valid', reason: null, fromCache: false });
      expect(first.leaseUntil).to.be.closeTo(Date.now() / 1000 + 7 * day, 60);
      expect(door.calls).to.deep.equal(['GET /lease']);
      door.set(answering(503, {}, { 'Retry-After': '1' }));
      for (const n of [1, 6]) {
        expect(await later(n * day)).to.include({ state: 'valid', reason: 'server_error', fromCache: true });
      }
      expect(await later(7 * day + 60)).to.include({ state: 'unknown', reason: 'server_error', leaseUntil: null });
      expect(await later(8 * day)).to.include({ state: 'unknown' });
      lease(8 * day);
      expect(await later(8 * day + hour)).to.include({ state: 'valid', reason: null });
    });

    it('are renewed about once an hour', async () => {
      lease();
      const { leaseUntil } = await later(0);
      expect(await later(47 * 60)).to.include({ fromCache: true, leaseUntil });
      lease(hour);
      expect((await later(61 * 60)).leaseUntil).to.be.closeTo((leaseUntil ?? 0) + hour, 60);
    });

    it('end at once with an answer of the server', async () => {
      lease();
      await later(0);
      door.set(answering(200, { valid: false, error: 'revoked' }));
      expect(await later(0, { act: 'fresh' })).to.include({ state: 'invalid', reason: 'revoked', leaseUntil: null });
      door.set(answering(503, {}, { 'Retry-After': '1' }));
      expect(await later(2 * hour)).to.include({ state: 'invalid', reason: 'revoked' });
    });

    it('are needed: an answer without one that counts is none', async () => {
      const names = ['forged: other claims', 'stripped: alg none, without a signature', 'swapped: another domain'];
      for (const { lease: text, result } of vectors.cases.filter(({ name }) => names.includes(name))) {
        door.set(answering(200, { valid: true, lease: text, license: { expires_at: null } }));
        const reason = result === 'malformed_lease' ? result : 'wrong_signature';
        expect(await later(0, { act: 'fresh' })).to.include({ state: 'unknown', reason });
      }
      door.set(answering(200, { valid: true, license: { expires_at: null } }));
      expect(await later(0, { act: 'fresh' })).to.include({ state: 'unknown', reason: 'bad_answer' });
      expect(await later(0, { publicKeys: [], file: folder.file('b') })).to.include({
        state: 'valid',
        leaseUntil: null,
      });
      expect(await later(0, { publicKeys: [testKeys('another').publicKey] })).to.include({ state: 'unknown' });
    });

    it('do not count longer if the clock is set back', async () => {
      lease();
      await later(0);
      door.set(answering(503, {}, { 'Retry-After': '1' }));
      expect(await later(3 * day)).to.include({ state: 'valid' });
      expect(await later(2 * day)).to.include({ state: 'unknown' });
      expect(await later(3 * day + 60), 'the clock is right again').to.include({ state: 'valid' });
      expect(await later(3 * day - 120), 'less than five minutes').to.include({ state: 'valid' });
      expect(await later(8 * day)).to.include({ state: 'unknown' });
      expect(await later(3 * day)).to.include({ state: 'unknown' });
      lease(-hour);
      expect(await later(0), 'an older lease').to.include({ state: 'unknown' });
      lease(8 * day);
      expect(await later(8 * day + hour)).to.include({ state: 'valid' });
    });

    it('are checked again whenever the file is read', async () => {
      lease();
      await later(0);
      door.set(answering(503, {}, { 'Retry-After': '1' }));
      const whole = await readFile(asked.file, 'utf8');
      const kept = JSON.parse(whole);
      const [head, body, signature] = String(kept.lease).split('.');
      for (const text of ['', 'x', null, { a: 1 }, `${head}.${body}x.${signature}`]) {
        await writeFile(asked.file, JSON.stringify({ ...kept, lease: text }));
        expect(await later(0)).to.include({ state: 'unknown' });
      }
      const far = kept.until + 900 * day;
      await writeFile(asked.file, JSON.stringify({ ...kept, until: far, expires_at: far, mark: {}, issued: 'x' }));
      expect(await later(8 * day)).to.include({ state: 'unknown' });
    });

    describe('without the server', () => {
      const offline = (shift: number, more: Partial<Asked> = {}) => later(shift, { offline: true, ...more });

      it('make a license valid until they end, from a text or a file, and the server is never asked', async () => {
        lease();
        const text = leaseText();
        const first = await offline(0, { lease: `\n ${text} \n` });
        expect(first).to.include({ state: 'valid', reason: null, fromCache: true });
        expect(first.leaseUntil).to.be.closeTo(Date.now() / 1000 + 7 * day, 60);
        expect(await offline(6 * day), 'the kept one').to.include({ state: 'valid', leaseUntil: first.leaseUntil });
        expect(await offline(8 * day, { act: 'fresh' })).to.include({ state: 'unknown', reason: 'expired_lease' });
        // A newer lease in the file is taken, an older one is not.
        const leaseFile = folder.file('license.lease');
        await writeFile(leaseFile, leaseText(8 * day));
        const newer = await offline(8 * day + hour, { leaseFile });
        expect(newer).to.include({ state: 'valid', reason: null });
        await writeFile(leaseFile, text);
        expect(await offline(8 * day + hour, { leaseFile })).to.include({ leaseUntil: newer.leaseUntil });
        expect(await offline(0, { act: 'activate' })).to.include({ ok: false, reason: 'offline' });
        expect(door.calls).to.deep.equal([]);
      });

      it('do not count for another domain, license, issuer or key, nor before and after their time', async () => {
        const wrong: readonly (readonly [string | undefined, reason: string])[] = [
          [undefined, 'no_lease'],
          ['x', 'malformed_lease'],
          [leaseText(0, {}, testKeys('another')), 'wrong_signature'],
          [leaseText(0, { aud: 'other.example.com' }), 'wrong_domain'],
          [leaseText(0, { sub: 'AAAAAAAAAAAAAAAAAAAAAA' }), 'wrong_license'],
          [leaseText(0, { iss: 'https://other.example.com' }), 'wrong_issuer'],
          [leaseText(-8 * day), 'expired_lease'],
          [leaseText(hour), 'early_lease'],
        ];
        for (const [n, [text, reason]] of wrong.entries()) {
          const told = await offline(0, { file: folder.file(`kept-${n}`), ...(text !== undefined && { lease: text }) });
          expect(told, reason).to.include({ state: 'unknown', reason, leaseUntil: null });
        }
        expect((await offline(0, { leaseFile: folder.file('missing') })).reason).to.equal('no_lease');
      });

      it('do not count while the clock is set back', async () => {
        const given = { lease: leaseText() };
        await offline(0, given);
        expect(await offline(3 * day, given)).to.include({ state: 'valid' });
        expect(await offline(2 * day, given)).to.include({ state: 'unknown', reason: 'clock_set_back' });
        expect(await offline(3 * day + 60, given), 'the clock is right again').to.include({ state: 'valid' });
        await offline(8 * day, given);
        expect(await offline(3 * day, given)).to.include({ state: 'unknown', reason: 'clock_set_back' });
      });

      it('do not count after the server has said that the license is invalid, unless they are newer', async () => {
        door.set(answering(200, { valid: false, error: 'revoked' }));
        await later(0, { lease: leaseText(-hour) });
        expect(await offline(60, { lease: leaseText(-60) })).to.include({ state: 'invalid', reason: 'revoked' });
        expect(await offline(day, { lease: leaseText(hour) })).to.include({ state: 'valid' });
      });

      it('are where a site begins that asks the server too', async () => {
        door.set(answering(503, {}, { 'Retry-After': '1' }));
        expect(await later(0, { lease: leaseText() })).to.include({ state: 'valid', reason: 'server_error' });
        expect(door.calls).to.deep.equal(['GET /lease']);
      });

      it('need public keys', async () => {
        for (const more of [{ offline: true }, { lease: leaseText() }]) {
          expect(await later(0, { publicKeys: [], ...more }).catch((error) => error)).to.be.an('error');
        }
      });
    });

    it('need keys that are keys', async () => {
      for (const publicKeys of [['x'], [keys.publicKey.slice(1)], [`${keys.publicKey}=`]]) {
        const fault = await later(0, { publicKeys }).catch((error) => error);
        expect(fault).to.be.an('error');
      }
    });
  });
}
