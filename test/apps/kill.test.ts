import { expect } from 'chai';
import { compose } from '../../apps/wiring/compose.ts';
import { readConfig } from '../../apps/wiring/config.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import { operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { needing, skipLong } from '../support/required-service.ts';
import { startServer } from '../support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const domains = ['a.com', 'b.com', 'c.com', 'd.com'];
const maxDomains = 2;

needing(skipLong).describe('a server that is killed under load', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await makeTemporaryFolder();
  });
  after(() => folder.remove());

  it('has counted at least every answered verification and at most every sent one, and exceeds no domain limit', async () => {
    const settings = { DATABASE_URL: `sqlite:${folder.file('kill.db')}` };
    const keys = await issueLicenses(settings, 20);
    const sent = new Map<string, number>(keys.map((key) => [key, 0]));
    const answered = new Map<string, number>(keys.map((key) => [key, 0]));
    const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

    for (let life = 0; life < 2; life++) {
      await using server = await startServer(settings);
      let answers = 0;
      let isOver = false;
      const client = async (seed: number) => {
        for (let turn = seed; !isOver; turn += 7) {
          const license_key = keys[turn % keys.length] ?? '';
          const domain = domains[(turn >> 2) % domains.length] ?? '';
          const post = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
          try {
            await fetch(`${server.url}/activate`, { ...post, body: JSON.stringify({ license_key, domain }) });
            for (let again = 0; again < 5; again++) {
              count(sent, license_key);
              const answer = await fetch(`${server.url}/verify?${new URLSearchParams({ license_key, domain })}`);
              const { valid } = (await answer.json()) as { valid: boolean };
              if (valid) count(answered, license_key);
              answers++;
            }
            if (turn % 3 === 0) {
              await fetch(`${server.url}/deactivate`, { ...post, body: JSON.stringify({ license_key, domain }) });
            }
            if (answers > 500) {
              isOver = true;
              await server.stop('SIGKILL');
            }
          } catch (error) {
            if (isOver) return;
            isOver = true;
            throw error;
          }
        }
      };
      await Promise.all(Array.from({ length: 24 }, (_, seed) => client(seed)));
    }

    await using server = await startServer(settings);
    for (const key of keys) {
      const answer = await fetch(`${server.url}/status?license_key=${key}`);
      const { license } = (await answer.json()) as {
        license: { verification_count: number; domains_used: number; domains: unknown[] };
      };
      expect(license.verification_count).to.be.at.least(answered.get(key) ?? 0);
      expect(license.verification_count).to.be.at.most(sent.get(key) ?? 0);
      expect(license.domains_used).to.be.at.most(maxDomains);
      expect(license.domains).to.have.length(license.domains_used);
    }
    const total = [...answered.values()].reduce((sum, one) => sum + one, 0);
    expect(total).to.be.greaterThan(100);
  });
});

async function issueLicenses(settings: Record<string, string>, count: number): Promise<LicenseKey[]> {
  const parts = await compose(readConfig({ LOG_LEVEL: 'silent', ...settings }));
  const { id } = good(await (await parts.get(t.products)).add({ title: 'Sample', ownerId: null }, operator));
  const keys = good(
    await (await parts.get(t.issuing)).issue({ productId: id, maxDomains, expiresAt: null }, count, operator),
  );
  await parts.close();
  return keys;
}
