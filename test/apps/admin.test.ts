import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { expect } from 'chai';
import { t } from '../../apps/wiring/tokens.ts';
import type { User } from '../../core/accounts/user.ts';
import { event } from '../../core/events/event.ts';
import { type DomainName, normalizeDomain } from '../../core/licensing/domain-name.ts';
import { hasValidCheckCharacter, parseLicenseKey } from '../../core/licensing/license-key.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { isRefused } from '../../core/refusal.ts';
import { by, operator } from '../support/by.ts';
import { good } from '../support/good.ts';
import { itLong } from '../support/required-service.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { type Administration, administer } from './admin-program.ts';

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('administration', () => {
  let folder: TemporaryFolder;
  let admin: Administration;
  before(async () => {
    folder = await makeTemporaryFolder();
    admin = administer({ DATABASE_URL: `sqlite:${folder.file('latchkey.db')}` });
    await admin.text('migrate');
  });
  after(() => folder.remove());

  describe('the command line', () => {
    const commands = {
      '': ['serve', 'user', 'product', 'license', 'audit', 'migrate', 'backup', 'restore', 'DATABASE_URL'],
      serve: [],
      user: ['add', 'list', 'show', 'suspend', 'reinstate', 'set-role'],
      'user list': ['--search', '--tier', '--role', '--limit', '--after', '--json'],
      'user set-role': ['<role>', '"admin", "none"', '--reason', '--actor', '--json'],
      'user add': ['--name', '--email', '--tier', '--reason', '--actor', '--json'],
      product: ['add', 'link'],
      'product link': ['<id or slug>', '--template', '--reason', '--actor', '--json'],
      'product add': ['--title', '--owner', '--reason', '--actor', '--json'],
      license: ['issue', 'show', 'suspend', 'reinstate', 'revoke', 'renew', 'list', 'import'],
      'license issue': ['--product', '--max-domains', '--expires', '--key', '--count', '--reason', '--actor', '--json'],
      'license show': ['<key>', '--json'],
      'license suspend': ['<key>', '--reason', '--actor', '--json'],
      'license reinstate': ['<key>', '--reason', '--actor', '--json'],
      'license revoke': ['<key>', '--reason', '--actor', '--json'],
      'license renew': ['<key>', '--expires', '--reason', '--actor', '--json'],
      'license list': ['--product', '--limit', '--after', '--json'],
      'license import': ['<file>', 'max_domains', '--from', '--reason', '--actor', '--json'],
      audit: ['--subject', '--limit', '--json'],
      migrate: ['--json'],
      backup: ['<place>', '.tar', '--json'],
      restore: ['<place>', '.tar', '--json'],
    };

    itLong('explains every command with --help', async () => {
      for (const some of inChunks(Object.entries(commands), 6)) {
        const texts = await Promise.all(some.map(([command]) => admin.text(...words(command), '--help')));
        some.forEach(([, parts], index) => {
          for (const part of parts) expect(texts[index]).to.include(part);
        });
      }
    });

    it('prints the version', async () => {
      const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
      expect(await admin.text('--version')).to.equal(version);
    });

    const wrong: Record<string, RegExp> = {
      '': /command/,
      license: /command/,
      frobnicate: /unknown command 'frobnicate'/,
      'license issu': /unknown command 'issu' \(Did you mean issue\?\)/,
      'license show': /missing required argument 'key'/,
      'license show LIC-0000-0000-0000-0000 more': /too many arguments/,
      'license list --frob': /unknown option '--frob'/,
      'license list --limit': /'--limit <n>' argument missing/,
    };

    itLong('refuses an invalid command in one line, with exit code 2', async () => {
      for (const some of inChunks(Object.entries(wrong), 4)) {
        const lines = await Promise.all(some.map(([command]) => admin.misuse(...words(command))));
        some.forEach(([, says], index) => {
          expect(lines[index]).to.match(says);
        });
      }
    });
  });

  describe('user add', () => {
    itLong('adds a user, and stores the address in lower case', async () => {
      const { user } = await admin.json('user', 'add', '--name', ' Ada Lovelace ', '--email', 'Ada@Example.com');
      expect(user).to.deep.equal({ ...user, name: 'Ada Lovelace', email: 'ada@example.com', tier: 'free' });
      expect(user).to.have.all.keys('id', 'name', 'email', 'tier', 'created_at');
      expect(user.created_at).to.match(isoTime);
      expect(await admin.text('user', 'add', '--name', 'Bob', '--email', 'bob@example.com', '--tier', 'pro')).to.match(
        /^Added user \d+: Bob <bob@example\.com>, pro$/,
      );
    });

    itLong('refuses an address that another user has, and invalid values', async () => {
      const { email } = await addUser(admin);
      const args = (name: string, address: string) => ['user', 'add', '--name', name, '--email', address];
      const add = (name: string, address: string, ...more: string[]) => admin.misuse(...args(name, address), ...more);
      expect(await admin.refusal(...args('Ada', email.toUpperCase()))).to.equal(
        `A user with the e-mail address ${email} already exists.`,
      );
      const lines = await Promise.all([
        add('Ada', 'ada.example.com'),
        add(' ', 'x@example.com'),
        add('x'.repeat(201), 'x@example.com'),
        add('a\nb\u001b[31m', 'x@example.com'),
        add('Ada', 'x@example.com', '--tier', 'gold'),
        admin.misuse('user', 'add', '--name', 'Ada'),
      ]);
      expect(lines[0]).to.match(/'ada\.example\.com' is invalid\. It must be an e-mail address/);
      expect(lines[1]).to.match(/--name .* must have 1 to 200 characters/);
      expect(lines[2]).to.match(/--name .* must have 1 to 200 characters/);
      expect(lines[3]).to.match(/--name .* must not contain control characters/);
      expect(lines[4]).to.match(/'gold' is invalid\. Allowed choices are free, pro, enterprise/);
      expect(lines[5]).to.match(/'--email <address>' not specified/);
    });
  });

  describe('product add', () => {
    it('adds a product with a unique slug, without an owner or with one by id or e-mail address', async () => {
      const { id, email } = await addUser(admin);
      const { product } = await admin.json('product', 'add', '--title', 'Tip Jar');
      expect(product).to.deep.equal({ ...product, title: 'Tip Jar', slug: 'tip-jar', owner_id: null });
      expect(product).to.have.all.keys('id', 'slug', 'title', 'owner_id', 'created_at');
      expect(product.created_at).to.match(isoTime);
      const second = await admin.json('product', 'add', '--title', 'Tip Jar', '--owner', String(id));
      expect(second.product).to.include({ slug: 'tip-jar-2', owner_id: id });
      expect(await admin.text('product', 'add', '--title', 'Tip Jar', '--owner', email)).to.match(
        /^Added product \d+: Tip Jar \(tip-jar-3\)$/,
      );
    });

    it('refuses an unknown owner, and a title that is empty or too long', async () => {
      const lines = await Promise.all([
        admin.refusal('product', 'add', '--title', 'X', '--owner', '999'),
        admin.refusal('product', 'add', '--title', 'X', '--owner', 'nobody@example.com'),
        admin.misuse('product', 'add', '--title', ''),
        admin.misuse('product', 'add', '--title', 'x'.repeat(201)),
      ]);
      expect(lines[0]).to.equal('No user has the id or e-mail address 999.');
      expect(lines[1]).to.equal('No user has the id or e-mail address nobody@example.com.');
      for (const line of lines.slice(2)) expect(line).to.match(/--title .* must have 1 to 200 characters/);
    });
  });

  describe('license issue', () => {
    itLong('prints only the new keys, one per line', async () => {
      const { slug } = await addProduct(admin);
      const keys = (await admin.text('license', 'issue', '--product', slug, '--count', '3')).split('\n');
      expect(keys).to.have.lengthOf(3);
      for (const text of keys) {
        const key = parseLicenseKey(text);
        expect(key).to.equal(text);
        expect(key && hasValidCheckCharacter(key)).to.equal(true);
      }
    });

    itLong('issues with the given product, limit and expiry', async () => {
      const product = await addProduct(admin);
      const terms = ['--product', String(product.id), '--max-domains', '3', '--expires', '2999-12-31T12:00:00+02:00'];
      const rights = ['--updates-until', '2999-01-01T00:00:00Z', '--entitlement', 'PRO', 'export.csv'];
      const issued = await admin.json('license', 'issue', ...terms, ...rights);
      const given = { updates_until: '2999-01-01T00:00:00.000Z', entitlements: ['export.csv', 'pro'] };
      expect(issued).to.deep.equal({
        product: { id: product.id, title: product.title, slug: product.slug },
        max_domains: 3,
        expires_at: '2999-12-31T10:00:00.000Z',
        ...given,
        keys: issued.keys,
      });
      const { license } = await admin.json('license', 'show', issued.keys[0]);
      expect(license).to.deep.include({
        ...{ status: 'active', max_domains: 3, expires_at: '2999-12-31T10:00:00.000Z' },
        ...given,
      });
      expect(await admin.refusal('license', 'issue', ...terms, '--entitlement', '-')).to.include('is no code');
    });

    itLong('counts an expiry such as 30d from now', async () => {
      const { slug } = await addProduct(admin);
      const earliest = Date.now() + 30 * 86_400_000;
      const { expires_at } = await admin.json('license', 'issue', '--product', slug, '--expires', '30d');
      expect(Date.parse(expires_at)).to.be.within(earliest, Date.now() + 30 * 86_400_000);
    });

    itLong('issues a license that never expires if --expires is missing or `never`', async () => {
      const { slug } = await addProduct(admin);
      await admin.text('license', 'issue', '--product', slug);
      await admin.text('license', 'issue', '--product', slug, '--expires', 'never');
      const { licenses } = await admin.json('license', 'list', '--product', slug);
      expect(licenses.map((license: Record<string, unknown>) => license.expires_at)).to.deep.equal([null, null]);
    });

    itLong('issues a given key once, after it has corrected blanks and lower case', async () => {
      const { slug } = await addProduct(admin);
      const issue = ['license', 'issue', '--product', slug, '--key', ' lic-own0-own0-own0-own1 '];
      expect(await admin.text(...issue)).to.equal('LIC-OWN0-OWN0-OWN0-OWN1');
      expect(await admin.refusal(...issue)).to.equal('The key LIC-OWN0-OWN0-OWN0-OWN1 is taken.');
    });

    itLong('refuses a bundle, however many licenses, under whatever key, and in a file', async () => {
      const { slug } = await addProduct(admin);
      const both = `${slug}-both`;
      await admin.beside(async (parts) => {
        const store = await parts.get(t.productStore);
        const one = (await store.findBySlug(slug)) ?? expect.fail('There is no product.');
        const bundle = [{ productId: one.id, offer: null }];
        const { id: _, ...rest } = { ...one, slug: both, zip: null, version: null, bundle };
        await store.add(rest, (given) => event('product.added', given, by, Date.now()));
      });
      const why = 'A bundle has no licenses of its own. Issue them for its products.';
      for (const more of [[], ['--count', '201'], ['--key', 'LIC-B0TH-0000-0000-0001']]) {
        expect(await admin.refusal('license', 'issue', '--product', both, ...more), more.join()).to.equal(why);
      }
      const { code, stderr } = await admin.fed(`product\n${both}\n${slug}\n`, 'license', 'import', '-');
      expect(code).to.equal(1);
      expect(stderr).to.include(`product "${both}": ${why}`);
      for (const product of [slug, both]) {
        expect((await admin.json('license', 'list', '--product', product)).licenses).to.deep.equal([]);
      }
    });

    itLong('refuses invalid options, names the error, and issues nothing', async () => {
      const { slug } = await addProduct(admin);
      const wrong: [string[], RegExp][] = [
        [['--product', slug, '--count', '0'], /--count .* from 1 to 10000/],
        [['--product', slug, '--count', '10001'], /--count .* from 1 to 10000/],
        [['--product', slug, '--max-domains', '1000001'], /--max-domains .* from 1 to 1000000/],
        [['--product', slug, '--max-domains', '1.5'], /--max-domains .* from 1 to 1000000/],
        [['--product', slug, '--expires', '2999-02-31'], /--expires .*'2999-02-31'.* must be a date/],
        [['--product', slug, '--expires', '2020-01-01'], /--expires .* must be in the future/],
        [['--product', slug, '--key', 'LIC-OWN0'], /--key .* looks like LIC-XXXX-XXXX-XXXX-XXXX/],
      ];
      const issue = (...args: readonly string[]) => admin.refusal('license', 'issue', '--product', ...args);
      expect(await issue('nothing-of-the-kind')).to.equal('No product has the id or slug nothing-of-the-kind.');
      expect(await issue(slug, '--key', 'LIC-OWN0-OWN0-OWN0-OWN2', '--count', '2')).to.match(
        /^A key .* one license only/,
      );
      for (const some of inChunks(wrong, 5)) {
        const lines = await Promise.all(some.map(([args]) => admin.misuse('license', 'issue', ...args)));
        some.forEach(([, says], index) => {
          expect(lines[index]).to.match(says);
        });
      }
      expect((await admin.json('license', 'list', '--product', slug)).licenses).to.deep.equal([]);
    });
  });

  describe('license show', () => {
    itLong('shows an unused license', async () => {
      const { key, product } = await issueLicense(admin);
      const { license } = await admin.json('license', 'show', key.toLowerCase());
      expect(license).to.deep.equal({
        key,
        status: 'active',
        product: { id: product.id, title: product.title, slug: product.slug },
        domain: null,
        domains: [],
        domains_without_slot: [],
        domains_used: 0,
        max_domains: 1,
        verification_count: 0,
        last_verified_at: null,
        expires_at: null,
        updates_until: null,
        entitlements: [],
        created_at: license.created_at,
      });
      expect(license.created_at).to.match(isoTime);
    });

    itLong('shows how often it was verified: never, 1 time, 2 times', async () => {
      const { key } = await issueLicense(admin);
      const verify = () =>
        admin.beside(async (parts) => {
          const licensing = await parts.get(t.licensing);
          await licensing.activate({ licenseKey: key, domain: host('a.example.com') });
          await licensing.verify({ licenseKey: key, domain: host('a.example.com') });
        });
      const timesVerified = async () =>
        (await admin.text('license', 'show', key)).match(/(?<=verified +)\S+(?: times?)?/g);
      expect(await timesVerified()).to.deep.equal(['never']);
      await verify();
      expect(await timesVerified()).to.deep.equal(['1 time', '1 time']);
      await verify();
      expect(await timesVerified()).to.deep.equal(['2 times', '2 times']);
    });

    itLong('shows the domains, the newest first', async () => {
      const { key } = await issueLicense(admin, '--max-domains', '3');
      await admin.beside(async (parts) => {
        const licensing = await parts.get(t.licensing);
        await licensing.activate({ licenseKey: key, domain: host('a.example.com') });
        await licensing.activate({ licenseKey: key, domain: host('b.example.com') });
        await licensing.verify({ licenseKey: key, domain: host('a.example.com') });
        await licensing.verify({ licenseKey: key, domain: host('a.example.com') });
      });
      const { license } = await admin.json('license', 'show', key);
      expect(license.domains.map(({ domain }: { domain: string }) => domain)).to.deep.equal([
        'b.example.com',
        'a.example.com',
      ]);
      expect(license.domain).to.deep.equal(license.domains[0]);
      expect(license.domains[1]).to.deep.equal({
        domain: 'a.example.com',
        activated_at: license.domains[1].activated_at,
        verification_count: 2,
        last_verified_at: license.last_verified_at,
      });
      expect(license.domains[1].activated_at).to.match(isoTime);
      expect(license.last_verified_at).to.match(isoTime);
      expect(license).to.include({ domains_used: 2, max_domains: 3, verification_count: 2 });
      const text = await admin.text('license', 'show', key);
      for (const part of [key, 'active', '2 of 3', 'a.example.com', 'b.example.com', license.last_verified_at]) {
        expect(text).to.include(part);
      }
      await admin.beside(async (parts) => {
        const { write } = await parts.get(t.database);
        await write((trx) => trx('activations').where({ domain: 'b.example.com' }).update({ proven_at: 1_000 }));
      });
      const proven = await admin.json('license', 'show', key);
      expect(proven.license.domains[0]).to.include({ domain: 'b.example.com', proven_at: '1970-01-01T00:00:01.000Z' });
      expect(await admin.text('license', 'show', key)).to.include(', proven 1970-01-01T00:00:01.000Z');
    });

    itLong('refuses an unknown key, and a text that is not a key', async () => {
      const lines = await Promise.all([
        admin.refusal('license', 'show', 'LIC-0000-0000-0000-0000'),
        admin.refusal('license', 'show', 'LIC-0000-0000-0000-0001'),
        admin.misuse('license', 'show', 'LIC-0000'),
      ]);
      expect(lines[0]).to.equal('No license has the key LIC-0000-0000-0000-0000.');
      expect(lines[1]).to.match(/Its check character is wrong/);
      expect(lines[2]).to.match(/'LIC-0000' is invalid .* A license key looks like LIC-XXXX-XXXX-XXXX-XXXX/);
    });
  });

  describe('license suspend, reinstate, revoke and renew', () => {
    itLong('change the status or the expiry, and show the license after the change', async () => {
      const { key } = await issueLicense(admin, '--expires', '2998-01-01');
      expect((await admin.json('license', 'suspend', key)).license).to.include({ key, status: 'suspended' });
      expect((await admin.json('license', 'reinstate', key)).license).to.include({ key, status: 'active' });
      expect((await admin.json('license', 'renew', key, '--expires', '2999-01-01')).license).to.include({
        status: 'active',
        expires_at: '2999-01-01T23:59:59.999Z',
      });
      expect((await admin.json('license', 'renew', key, '--expires', 'never')).license.expires_at).to.equal(null);
      expect(await admin.text('license', 'revoke', key)).to.match(/status +revoked/);
    });

    itLong('refuse changes that the status does not allow', async () => {
      const { key } = await issueLicense(admin);
      expect(await admin.refusal('license', 'reinstate', key)).to.equal('Cannot reinstate a license that is active.');
      await admin.text('license', 'suspend', key);
      const suspended = await Promise.all([
        admin.refusal('license', 'suspend', key),
        admin.refusal('license', 'renew', key, '--expires', '1y'),
      ]);
      for (const line of suspended) expect(line).to.match(/^Cannot (suspend|renew) a license that is suspended/);
      await admin.text('license', 'revoke', key);
      const revoked = await Promise.all(
        ['suspend', 'reinstate', 'revoke'].map((transition) => admin.refusal('license', transition, key)),
      );
      for (const line of revoked) expect(line).to.match(/^Cannot (suspend|reinstate|revoke) a license that is revoked/);
      expect((await admin.json('license', 'show', key)).license.status).to.equal('revoked');
    });

    it('refuse an expiry that is not later, an unknown license, and a renewal without an expiry', async () => {
      const { key } = await issueLicense(admin, '--expires', '2999-01-01');
      const lines = await Promise.all([
        admin.refusal('license', 'renew', key, '--expires', '2998-01-01'),
        admin.misuse('license', 'renew', key, '--expires', '2020-01-01'),
        admin.misuse('license', 'renew', key),
        admin.refusal('license', 'suspend', 'LIC-0000-0000-0000-0000'),
      ]);
      expect(lines[0]).to.match(/must be in the future and later than the current one/);
      expect(lines[1]).to.match(/must be in the future/);
      expect(lines[2]).to.match(/'--expires <when>' not specified/);
      expect(lines[3]).to.equal('No license has the key LIC-0000-0000-0000-0000.');
    });
  });

  describe('license list', () => {
    itLong('lists each license once over all pages, in the order of issue', async () => {
      const { slug } = await addProduct(admin);
      const keys = (await admin.text('license', 'issue', '--product', slug, '--count', '5')).split('\n');
      const listed: string[] = [];
      let after: string[] = [];
      for (;;) {
        const page = await admin.json('license', 'list', '--product', slug, '--limit', '2', ...after);
        expect(page.licenses.length).to.be.at.most(2);
        listed.push(...page.licenses.map(({ key }: { key: string }) => key));
        if (page.next_after === null) break;
        after = ['--after', page.next_after];
      }
      expect(listed).to.deep.equal(keys);
    });

    itLong('lists the status, product, domains and expiry of each license', async () => {
      const { key, product } = await issueLicense(admin, '--expires', '2999-01-01');
      await admin.text('license', 'suspend', key);
      const { licenses } = await admin.json('license', 'list', '--product', product.slug);
      expect(licenses).to.deep.equal([
        {
          key,
          status: 'suspended',
          product: { id: product.id, title: product.title, slug: product.slug },
          domains_used: 0,
          max_domains: 1,
          expires_at: '2999-01-01T23:59:59.999Z',
          created_at: licenses[0].created_at,
        },
      ]);
      const [head, row, ...rest] = (await admin.text('license', 'list', '--product', product.slug)).split('\n');
      expect(head?.split(/ {2,}/)).to.deep.equal(['KEY', 'STATUS', 'PRODUCT', 'DOMAINS', 'EXPIRES']);
      expect(row?.split(/ {2,}/)).to.deep.equal([key, 'suspended', product.slug, '0 of 1', '2999-01-01T23:59:59.999Z']);
      expect(rest).to.deep.equal([]);
    });

    itLong('refuses an unknown product, an unknown license in --after, and an invalid limit', async () => {
      const lines = await Promise.all([
        admin.refusal('license', 'list', '--product', 'nothing-of-the-kind'),
        admin.refusal('license', 'list', '--after', 'LIC-0000-0000-0000-0000'),
        admin.misuse('license', 'list', '--limit', '0'),
      ]);
      expect(lines[0]).to.equal('No product has the id or slug nothing-of-the-kind.');
      expect(lines[1]).to.equal('No license has the key LIC-0000-0000-0000-0000.');
      expect(lines[2]).to.match(/--limit .* from 1 to 10000/);
    });
  });

  describe('audit', () => {
    itLong('shows who changed what, why and when, the latest first', async () => {
      const { key } = await issueLicense(admin, '--expires', '2999-01-01');
      await admin.text('license', 'suspend', key, '--actor', 'Ada', '--reason', 'Charge back: order 7');
      const { events } = await admin.json('audit', '--subject', key.toLowerCase());
      expect(events).to.deep.equal([
        {
          id: events[0].id,
          type: 'license.suspended',
          at: events[0].at,
          actor: 'Ada',
          reason: 'Charge back: order 7',
          subject: key,
          data: { status: 'suspended', expires_at: '2999-01-01T23:59:59.999Z' },
        },
        {
          id: events[1].id,
          type: 'license.issued',
          at: events[1].at,
          actor: `admin:${userInfo().username}`,
          reason: null,
          subject: key,
          data: { max_domains: 1, expires_at: '2999-01-01T23:59:59.999Z' },
        },
      ]);
      for (const { at } of events) expect(at).to.match(isoTime);
      const [, row] = (await admin.text('audit', '--limit', '1', '--subject', key)).split('\n');
      const cells = [events[0].at, 'license.suspended', key, 'Ada', 'Charge back: order 7'];
      expect(row?.split(/ {2,}/).slice(0, 5)).to.deep.equal(cells);
    });

    itLong('has every kind of change, with the given actor and reason', async () => {
      const why = ['--actor', 'Grace', '--reason', 'as agreed'];
      const email = `user${next()}@example.com`;
      await admin.text('user', 'add', '--name', 'Grace', '--email', email, ...why);
      const { product } = await admin.json('product', 'add', '--title', `Product ${next()}`, ...why);
      const key = await admin.text('license', 'issue', '--product', product.slug, ...why);
      await admin.text('license', 'suspend', key, ...why);
      await admin.text('license', 'reinstate', key, ...why);
      await admin.text('license', 'renew', key, '--expires', 'never', ...why);
      await admin.text('license', 'revoke', key, ...why);
      const { events } = await admin.json('audit', '--limit', '7');
      expect(events.map(({ type, subject }: Record<string, string>) => [type, subject])).to.deep.equal([
        ['license.revoked', key],
        ['license.renewed', key],
        ['license.reinstated', key],
        ['license.suspended', key],
        ['license.issued', key],
        ['product.added', product.slug],
        ['user.added', email],
      ]);
      for (const event of events) expect(event).to.include({ actor: 'Grace', reason: 'as agreed' });
    });

    itLong('has no entry for a refused change', async () => {
      const { key } = await issueLicense(admin);
      await admin.refusal('license', 'reinstate', key, '--reason', 'never happened');
      const { events } = await admin.json('audit', '--subject', key);
      expect(events.map(({ type }: { type: string }) => type)).to.deep.equal(['license.issued']);
    });
  });

  describe('migrate', () => {
    itLong('runs all migrations on a new database, and none if it is up to date', async () => {
      const fresh = administer({ DATABASE_URL: `sqlite:${folder.file('fresh.db')}` });
      expect((await fresh.json('migrate')).migrations).to.include('0001-licensing');
      expect(await fresh.json('migrate')).to.deep.equal({ migrations: [] });
      expect(await fresh.text('migrate')).to.equal('The database was up to date.');
    });
  });

  describe('a database that cannot be administered', () => {
    itLong('is refused in one line: data in memory, a file that is not a database, a wrong setting', async () => {
      const file = folder.file('text.db');
      writeFileSync(file, 'This is not a database, but it is long enough to be looked at as one.'.repeat(20));
      const lines = await Promise.all([
        administer({ DATABASE_URL: 'memory:' }).refusal('license', 'list'),
        administer({ DATABASE_URL: `sqlite:${file}` }).refusal('license', 'list'),
        administer({ DATABASE_URL: 'mysql://x' }).refusal('audit'),
      ]);
      expect(lines[0]).to.match(/^DATABASE_URL=memory: cannot be used by a command/);
      expect(lines[1]).to.match(/not an SQLite database/);
      expect(lines[2]).to.match(/^DATABASE_URL must be sqlite:<file>/);
    });
  });
});

let last = 0;
/** Returns a number that is unique in this file. */
function next(): number {
  last++;
  return last;
}

async function addUser(admin: Administration): Promise<User> {
  const email = `user${next()}@example.com`;
  return await admin.beside(async (parts) => {
    const user = await (await parts.get(t.accounts)).add({ name: 'Somebody', email, tier: 'free' }, operator);
    if (isRefused(user)) throw new Error(user.reason);
    return user;
  });
}

async function addProduct(admin: Administration): Promise<Product> {
  const title = `Product no. ${next()}`;
  return good(
    await admin.beside(async (parts) => (await parts.get(t.products)).add({ title, ownerId: null }, operator)),
  );
}

async function issueLicense(admin: Administration, ...terms: string[]): Promise<{ key: string; product: Product }> {
  const product = await addProduct(admin);
  return { product, key: await admin.text('license', 'issue', '--product', product.slug, ...terms) };
}

function words(command: string): string[] {
  return command.split(' ').filter((word) => word !== '');
}

function inChunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}

function host(name: string): DomainName {
  const domain = normalizeDomain(name);
  if (domain === undefined) throw new Error(`${name} is not a domain.`);
  return domain;
}
