import { expect } from 'chai';
import { createManualClock } from '../../../adapters/node/manual-clock.ts';
import { createSecretBox } from '../../../adapters/node/secret-box.ts';
import { systemSecrets } from '../../../adapters/node/secrets.ts';
import { createCurrentSettings } from '../../../core/site/current-settings.ts';
import type { SettingTexts } from '../../../core/site/setting.ts';
import { createSiteSettings } from '../../../core/site/site-settings.ts';
import { openForEach } from '../../support/backends.ts';
import { by, operator } from '../../support/by.ts';
import { good } from '../../support/good.ts';
import { inMemory } from '../../support/in-memory.ts';

describe('the settings of the site', () => {
  const stores = openForEach(inMemory);

  const box = createSecretBox('a secret of at least 32 characters');

  /** One process with its own memory of the settings. */
  function open(environment: SettingTexts = {}) {
    const store = stores.settings;
    const current = createCurrentSettings({ store, environment });
    const ports = { store, current, environment, box, secrets: systemSecrets };
    const mistakeInMailServer = (text: string) => (text.includes('odd') ? 'is odd' : undefined);
    const clock = createManualClock(7);
    return { current, ...createSiteSettings({ ...ports, mistakeInMailServer, clock }) };
  }

  it('have fallbacks, and say where each value comes from', async () => {
    const process = open();
    expect(process.current.get()).to.deep.include({ site_name: 'Latchkey', description: '', footer_links: [] });
    const { site_name, description } = good(await process.show(operator));
    expect(site_name).to.deep.equal({ text: 'Latchkey', isSet: false, origin: 'fallback', variable: 'SITE_NAME' });
    expect(description).to.deep.equal({ text: '', isSet: false, origin: 'fallback', variable: undefined });
  });

  it('count at once in the process that changes them, and in others when they look again', async () => {
    const [one, other] = [open(), open()];
    const shown = good(await one.change({ site_name: ' Acme ', footer_links: 'Help https://example.com' }, operator));
    expect(shown.site_name).to.include({ text: 'Acme', origin: 'database' });
    expect(one.current.get()).to.deep.include({
      site_name: 'Acme',
      footer_links: [{ title: 'Help', href: 'https://example.com' }],
    });
    expect(other.current.get().site_name).to.equal('Latchkey');
    await other.current.refresh();
    expect(other.current.get()).to.deep.equal(one.current.get());
  });

  it('do not change the account or mode of Stripe unless somebody agrees to it', async () => {
    const account = 'QweRtyUiopAsdfg';
    const [first, rolled] = [`sk_live_51${account}aaaaaaaa`, `rk_live_51${account}bbbbbbbb`];
    const others = [
      `sk_test_51${account}aaaaaaaa`,
      `sk_live_51${account.toLowerCase()}aaaaaaaa`,
      'sk_live_older0123456789abcdef',
    ];
    const process = open();
    const change = (stripe_key: string, agreesToOtherStripe = false) =>
      process.change({ stripe_key }, operator, { agreesToOtherStripe });
    for (const key of [first, first, rolled]) good(await change(key));
    for (const key of others) {
      expect(await change(key), key).to.include({ reason: 'other_stripe' });
      good(await change(rolled));
      good(await change(key, true));
      expect(await change(rolled), key).to.include({ reason: 'other_stripe' });
      good(await change(rolled, true));
    }
    const older = 'sk_live_older0123456789abcdef';
    good(await change(older, true));
    good(await change(older));
    expect(await change(`${older}1`), 'nobody can tell').to.include({ reason: 'other_stripe' });
  });

  it('ask before a key of Stripe takes the place of one that cannot be read', async () => {
    const process = open();
    good(await process.change({ stripe_key: 'sk_live_51QweRtyUiopAsdfgaaaaaaaa' }, operator));
    const store = stores.settings;
    const current = createCurrentSettings({ store, environment: {} });
    const other = createSecretBox('another secret of at least 32 characters');
    const ports = { store, current, environment: {}, box: other, secrets: systemSecrets, clock: createManualClock(7) };
    const { change } = createSiteSettings({ ...ports, mistakeInMailServer: () => undefined });
    const texts = { stripe_key: 'sk_live_51QweRtyUiopAsdfgaaaaaaaa' };
    expect(await change(texts, operator)).to.include({ reason: 'other_stripe' });
    good(await change(texts, operator, { agreesToOtherStripe: true }));
  });

  it('can be taken back', async () => {
    const process = open();
    await process.change({ site_name: 'Acme', accent: '#1b6b50' }, operator);
    await process.change({ accent: '', site_name: 'Latchkey' }, operator);
    expect(process.current.get()).to.deep.include({ site_name: 'Latchkey', accent: undefined });
    expect(good(await process.show(operator)).site_name.origin).to.equal('fallback');
  });

  it('do not change where an environment variable is set, which wins', async () => {
    await open().change({ site_name: 'Acme' }, operator);
    const process = open({ site_name: 'From outside' });
    await process.current.refresh();
    expect(process.current.get().site_name).to.equal('From outside');
    expect(good(await process.show(operator)).site_name).to.include({ text: 'From outside', origin: 'environment' });
    expect(await process.change({ site_name: 'X', description: 'Y' }, operator)).to.include({
      reason: 'setting_fixed',
    });
    expect(process.current.get().description).to.equal('');
  });

  it('are all refused if one is wrong', async () => {
    const process = open();
    for (const [texts, reason] of [
      [{ site_name: ' ' }, 'missing'],
      [{ site_name: 'x'.repeat(61) }, 'too_long'],
      [{ description: 'a\u0007b' }, 'odd_characters'],
      [{ accent: '#eeeeee' }, 'too_light'],
      [{ accent: 'green' }, 'not_a_color'],
      [{ footer_links: 'x' }, 'not_a_link'],
    ] as const) {
      expect(await process.change({ site_name: 'Acme', description: 'Fine', ...texts }, operator)).to.include({
        reason,
      });
    }
    expect(process.current.get().site_name).to.equal('Latchkey');
    expect(await stores.audit.list({ limit: 9 })).to.deep.equal([]);
  });

  it('are in the audit trail with who changed which, and only if they changed', async () => {
    const process = open();
    await process.change({ site_name: 'Acme', description: '' }, operator);
    await process.change({ site_name: 'Acme' }, operator);
    expect(await stores.audit.list({ limit: 9 })).to.deep.equal([
      {
        type: 'setting.changed',
        at: 7,
        subject: 'site_name',
        data: { from: null, to: 'Acme' },
        actor: by.actor,
        reason: by.reason,
      },
    ]);
  });

  it('leave the old and the new text in the audit trail, and of a long one its digest', async () => {
    const process = open();
    const [one, other] = ['x'.repeat(201), 'y'.repeat(2_000)];
    for (const payment_instructions of ['To account 1', one, other, ''])
      good(await process.change({ payment_instructions }, operator));
    const trail = (await stores.audit.list({ limit: 9 })).map(({ data }) => data);
    const digest = systemSecrets.digest;
    expect(trail.toReversed()).to.deep.equal([
      { from: null, to: 'To account 1' },
      { from: 'To account 1', to_sha256: digest(one) },
      { from_sha256: digest(one), to_sha256: digest(other) },
      { from_sha256: digest(other), to: null },
    ]);
  });

  it('are not set by somebody who knew other ones, except for those that are as they were', async () => {
    const [one, other] = [open(), open()];
    const seen = good(await other.show(operator));
    good(await one.change({ sign_up: 'closed' }, operator));
    const texts = { sign_up: 'open', selling: 'administrators' };
    expect(await other.change(texts, operator, { seen })).to.include({ reason: 'changed_meanwhile' });
    expect(good(await other.show(operator)).selling.text).to.equal('everybody');
    good(await other.change({ selling: 'administrators' }, operator, { seen }));
    expect(good(await one.show(operator)).sign_up.text).to.equal('closed');
  });

  it('that are secret are sealed in the database, and neither shown nor in the audit trail', async () => {
    const process = open();
    const url = 'smtp://ada:s3cret@mail.example.com';
    const shown = good(await process.change({ mail_server: url, mail_from: 'Shop <shop@example.com>' }, operator));
    expect(shown.mail_server).to.deep.equal({ text: '', isSet: true, origin: 'database', variable: 'MAIL_URL' });
    const stored = await stores.settings.read();
    const events = await stores.audit.list({ limit: 9 });
    for (const seen of [stored, events, shown]) expect(JSON.stringify(seen)).to.not.include('s3cret');
    expect(events.map(({ subject }) => subject)).to.include('mail_server');
    const { mail_server: kept, mail_from: from } = process.current.get();
    expect(from).to.deep.equal({ name: 'Shop', address: 'shop@example.com' });
    expect(kept && 'sealed' in kept && box.open(kept.sealed)).to.equal(url);
    good(await process.change({ mail_server: 'outbox:' }, operator));
    expect(process.current.get().mail_server).to.equal(undefined);
  });

  it('about mail: the environment wins, the address is checked, and a server needs a sender', async () => {
    const fixed = open({ mail_server: 'smtp://env.example.com', mail_from: 'env@example.com' });
    expect(fixed.current.get().mail_server).to.deep.equal({ text: 'smtp://env.example.com' });
    expect(good(await fixed.show(operator)).mail_server).to.include({ text: '', origin: 'environment', isSet: true });
    expect(open({ mail_server: 'outbox:' }).current.get().mail_server).to.equal(undefined);
    const process = open();
    for (const [texts, reason] of [
      [{ mail_server: 'smtp://mail.example.com' }, 'sender_missing'],
      [{ mail_server: 'https://mail.example.com' }, 'not_a_mail_server'],
      [{ mail_server: 'smtp://odd.example.com' }, 'not_a_mail_server'],
      [{ mail_from: 'ada@example.com, eve@example.com' }, 'not_a_mailbox'],
    ] as const) {
      expect(await process.change(texts, operator)).to.include({ reason });
    }
    good(await process.change({ mail_server: 'smtp://mail.example.com', mail_from: 'a@example.com' }, operator));
    expect(await process.change({ mail_from: '' }, operator)).to.include({ reason: 'sender_missing' });
  });

  it('that another version stored and this one cannot read count as not set', async () => {
    await stores.settings.change(() => ({
      texts: { accent: 'oklch(1 0 0)', unknown: 'x' },
      events: [{ type: 'setting.changed', at: 1, actor: 'x', reason: null, subject: 'accent', data: {} }],
    }));
    const process = open();
    await process.current.refresh();
    expect(process.current.get()).to.include({ accent: undefined, site_name: 'Latchkey' });
  });
});
