import { expect } from 'chai';
import sharp from 'sharp';
import { groups } from '../../../../adapters/http/dashboard/settings/groups.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { settingNames, siteTexts } from '../../../../core/site/setting.ts';
import { operator } from '../../../support/by.ts';
import { eventually } from '../../../support/eventually.ts';
import { formOf, listingForm } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import { addForSale } from '../../../support/orders.ts';
import { itLong } from '../../../support/required-service.ts';
import { pngOf } from '../../../support/samples.ts';
import { startSmtp } from '../../../support/smtp-server.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

const here = '/admin/settings';

describe('the settings of the site in the browser', () => {
  let service: DashboardService;
  let admin: Person;
  beforeEach(async () => {
    service = await startDashboardService();
    admin = await service.signedInUser({ role: 'admin', email: 'root@example.com' });
  });
  afterEach(() => service.close());

  const save = (group: string, fields: Readonly<Record<string, string>>) =>
    admin.browser.fill(`${here}/${group}`, fields);

  it('are each on exactly one page', () => {
    expect(Object.values(groups).flat().toSorted()).to.deep.equal(settingNames.toSorted());
  });

  it('are for administrators only', async () => {
    const { browser } = await service.signedInUser();
    for (const path of [here, `${here}/export`, ...Object.keys(groups).map((group) => `${here}/${group}`)]) {
      expect((await browser.get(path)).status, path).to.equal(403);
      expect((await service.browser().get(path)).location, path).to.match(/^\/sign-in/);
      if (path.endsWith('export')) continue;
      const posted = path === here ? 405 : 403;
      expect((await browser.post(path, { site_name: 'Mine' })).status, path).to.equal(posted);
    }
    expect((await service.browser().get('/')).text).to.not.include('Mine');
  });

  itLong('change all pages and the next mail at once, without a restart', async () => {
    const changed = await save('appearance', {
      site_name: 'Ada <Keys>',
      description: 'Licenses & more',
      accent: '#7A1FA2',
      footer_links: 'Help https://help.example.com\r\nWrite mailto:hi@example.com',
    });
    expect(changed.location).to.equal(here);
    const page = await admin.browser.follow(changed);
    expect(page.notice).to.match(/^The settings are saved\./);
    expect(page.text).to.include('Ada <Keys>').and.to.include('#7A1FA2');
    for (const path of ['/', '/marketplace', '/docs', '/docs/reference', '/sign-in', '/nothing']) {
      const { html, links, title } = await service.browser().get(path);
      expect(title, path).to.include(path === '/docs' ? '' : 'Ada <Keys>');
      expect(html, path).to.include('assets/accent-7a1fa2.css');
      expect(html, path).to.not.include('<Keys>');
      expect(
        links.filter(({ text }) => ['Help', 'Write'].includes(text)).map(({ href }) => href),
        path,
      ).to.deep.equal(['https://help.example.com', 'mailto:hi@example.com']);
    }
    const home = await service.browser().get('/');
    expect(home.text).to.include('Licenses & more');
    expect(home.html).to.include('<meta name="description" content="Licenses &amp; more"');
    const index = await fetch(service.url);
    expect(await index.json()).to.include({ name: 'Ada <Keys>' });
    await service.browser().fill('/sign-up', { name: 'Bob', email: 'bob@example.com', password: admin.password });
    const [letter] = await service.letters('bob@example.com');
    expect(letter?.text).to.include('\n-- \nAda <Keys>\n');
  });

  itLong('show the guides anew after a change', async () => {
    const footer = async () => (await service.browser().get('/docs/selling')).text.includes('Imprint');
    expect(await footer()).to.equal(false);
    await save('appearance', { footer_links: 'Imprint https://example.com/imprint' });
    expect(await footer()).to.equal(true);
    await save('appearance', { footer_links: '' });
    expect(await footer()).to.equal(false);
  });

  itLong('serve a style sheet of the accent colour, and of no other colour', async () => {
    const sheet = await fetch(`${service.url}/assets/accent-7a1fa2.css`);
    expect([sheet.status, sheet.headers.get('Content-Type')]).to.deep.equal([200, 'text/css; charset=utf-8']);
    expect(await sheet.text()).to.match(/^:root \{\n {2}--accent: light-dark\(#7a1fa2, #[0-9a-f]{6}\);\n/);
    for (const name of ['accent-ffffff.css', 'accent-7A1FA2.css', 'accent-red.css', 'accent-.css'])
      expect((await fetch(`${service.url}/assets/${name}`)).status, name).to.equal(404);
  });

  itLong('are refused with what is wrong at each field, and nothing is changed', async () => {
    const typed = {
      site_name: ' ',
      description: 'x'.repeat(201),
      accent: '#c0ffee',
      footer_links: 'Help https://example.com\nnothing',
    };
    const refused = await save('appearance', typed);
    expect(refused.status).to.equal(422);
    expect(refused.text).to.include('Please correct 4 fields');
    for (const fault of [
      'Enter a name.',
      'Use at most 200 characters.',
      'This color is too light to read. Its contrast with white is 1.',
      'Line 2 is not a title and then an address',
    ])
      expect(refused.text).to.include(fault);
    expect(refused.forms.at(-1)?.values).to.deep.include({ accent: ['#c0ffee'] });
    expect((await service.parts.get(t.currentSettings)).get()).to.include({ site_name: 'Latchkey', accent: undefined });
  });

  itLong('make a page of each text, in Markdown, with a link at the end of every page', async () => {
    const visitor = service.browser();
    for (const [n, text] of siteTexts.entries()) {
      const missing = await visitor.get(`/${text}`);
      expect([missing.status, missing.heading], text).to.deep.equal([404, 'Not found']);
      const asked = await fetch(`${service.url}/${text}`);
      expect([asked.status, asked.headers.get('Content-Type')]).to.deep.equal([404, 'application/json; charset=utf-8']);
      const markdown = `We are **${n}** <script>alert(1)</script>\r\n\r\n## Second part\n\n[Away](javascript:alert(1))`;
      expect((await save(text, { [text]: markdown })).status).to.equal(303);
      const page = await visitor.get(`/${text}/`);
      expect(page.status, text).to.equal(200);
      expect(page.html).to.include(`<strong>${n}</strong>`).and.to.include('>Second part</h2>');
      expect(page.html).to.not.include('<script>alert').and.to.not.include('href="javascript:');
      expect(page.html).to.include(`<meta name="description" content="We are ${n} `);
      expect((await visitor.get('/docs/selling')).links.map(({ href }) => href)).to.include(`../${text}`);
    }
    await save('terms', { terms: '' });
    expect((await visitor.get('/terms')).status).to.equal(404);
    expect((await visitor.get('/')).links.map(({ href }) => href)).to.not.include('./terms');
    const trail = await admin.browser.get('/admin/audit?subject=privacy');
    expect(trail.text).to.include('Setting changed').and.to.include('<script>alert');
    expect(trail.html).to.not.include('<script>alert');
  });

  itLong('refuse a text that is too long', async () => {
    const refused = await save('terms', { terms: 'x'.repeat(50_001) });
    expect([refused.status, refused.text.includes('Use at most 50,000 characters.')]).to.deep.equal([422, true]);
    expect((await service.browser().get('/terms')).status).to.equal(404);
    expect((await save('terms', { terms: 'x'.repeat(50_000) })).status).to.equal(303);
    expect((await admin.browser.get(here)).text).to.include('50,000 characters');
  });

  itLong('keep texts of 50,000 characters of every script, all at the same time', async () => {
    const { browser } = admin;
    const written = ['x', 'ж', '字', '\n'];
    for (const [n, text] of siteTexts.entries()) {
      const typed = `a${(written[n] ?? '').repeat(49_998)}z`;
      expect((await save(text, { [text]: typed })).status, text).to.equal(303);
      const [kept = ''] = (await browser.get(`${here}/${text}`)).forms.at(-1)?.values[text] ?? [];
      expect(kept.replaceAll('\r\n', '\n') === typed, text).to.equal(true);
    }
  });

  it('need the password again where a change could lead money, mails or people elsewhere', async () => {
    service.clock.advance(16 * 60_000);
    const harmful = {
      people: { sign_up: 'closed' },
      payments: { payment_instructions: 'To my account' },
      mail: { mail_from: 'eve@example.com' },
    };
    for (const [group, fields] of Object.entries(harmful)) {
      const refused = await save(group, fields);
      expect([refused.status, Object.keys(refused.faults)], group).to.deep.equal([422, ['current_password']]);
    }
    expect((await save('appearance', { site_name: 'Acme' })).status).to.equal(303);
    expect(await service.rows('site_settings')).to.have.lengthOf(1);
    expect((await save('people', { ...harmful.people, current_password: admin.password })).status).to.equal(303);
  });

  it('are kept when their sender is signed out meanwhile, but for secrets', async () => {
    const form = await admin.browser.get(`${here}/mail`);
    await admin.browser.post('/sign-out', {});
    const typed = { mail_from: 'shop@example.com', mail_server: 'smtp://ada:s3cret@mail.example.com' };
    const answer = await admin.browser.submit(form, typed);
    expect(answer.status).to.equal(401);
    const box = await service.parts.get(t.secretBox);
    const draft = answer.forms.find(({ submit }) => submit === 'Continue with what I typed')?.values.draft?.[0] ?? '';
    expect(box.open(draft as ReturnType<typeof box.seal>))
      .to.include('shop@example.com')
      .and.not.include('s3cret');
  });

  itLong('open and close sign-up, for everybody at once', async () => {
    const visitor = service.browser();
    const applicant = { name: 'Bob', email: 'bob@example.com', password: admin.password };
    for (const [policy, title] of [
      ['invite', 'You need an invitation'],
      ['closed', 'No new accounts'],
    ] as const) {
      const form = await admin.browser.get(`${here}/people`);
      await admin.browser.submit(form, { sign_up: policy }, 'Save');
      expect((await visitor.get('/sign-up')).heading, policy).to.equal(title);
      const refused = await visitor.post('/sign-up', applicant);
      expect([refused.status, await service.letters()], policy).to.deep.equal([422, []]);
    }
    const invited = await admin.browser.fill('/admin/users/invite', { email: 'bob@example.com', deliver: 'letter' });
    expect([invited.status, invited.text.includes('No new accounts are made on this site.')]).to.deep.equal([
      422,
      true,
    ]);
    expect((await admin.browser.get(here)).text).to.include('Nobody. Links of invitations do not work either');
    await save('people', { sign_up: 'open' });
    expect((await visitor.fill('/sign-up', applicant)).status).to.equal(200);
  });

  itLong('are refused for a choice that does not exist', async () => {
    const refused = await admin.browser.post(`${here}/people`, { sign_up: 'all', selling: '' });
    expect([refused.status, Object.keys(refused.faults)]).to.deep.equal([422, ['sign_up', 'selling']]);
  });

  itLong(
    'hide the pages of sellers from buyers of a shop with one seller, who cannot publish there either',
    async () => {
      const [buyer, seller] = [await service.signedInUser(), await service.signedInUser()];
      await service.parts.get(t.products).then(async (products) => {
        good(await products.add({ title: 'Jar', ownerId: (await seller.me()).login.id }, operator));
      });
      const caller = await service.account();
      const { id: buyerId } = (await buyer.me()).login;
      const sells = async ({ browser }: Person) =>
        (await browser.get('/')).links.some(({ href }) => href.endsWith('/selling'));
      expect([await sells(buyer), await sells(seller), await sells(admin)]).to.deep.equal([true, true, true]);
      await save('people', { selling: 'administrators' });
      expect([await sells(buyer), await sells(seller), await sells(admin)]).to.deep.equal([false, true, true]);
      for (const { browser } of [buyer, seller]) {
        expect((await browser.get('/selling/live/products/new')).status).to.equal(403);
        expect((await browser.post('/selling/live/products/new', formOf({ title: 'Mine' }))).status).to.equal(403);
      }
      const refused = await caller.submit('/api/marketplace/publish', listingForm());
      expect([refused.status, refused.body.error.code]).to.deep.equal([403, 'FORBIDDEN']);
      expect(await service.rows('products')).to.have.lengthOf(1);
      expect((await seller.browser.get('/selling/live/products')).text).to.include('Jar');
      expect((await admin.browser.get('/selling/live/products/new')).status).to.equal(200);
      await save('people', { selling: 'invited' });
      expect([
        await sells(buyer),
        (await caller.submit('/api/marketplace/publish', listingForm())).status,
      ]).to.deep.equal([false, 403]);
      const allow = (selling: string) => admin.browser.fill(`/admin/users/${buyerId}/selling`, { selling });
      expect((await allow('invited')).location).to.equal(`/admin/users/${buyerId}`);
      expect(await sells(buyer)).to.equal(true);
      expect((await buyer.browser.get('/selling/live/products/new')).status).to.equal(200);
      await allow('none');
      expect([await sells(buyer), (await buyer.browser.get('/selling/live/products/new')).status]).to.deep.equal([
        false,
        403,
      ]);
      expect((await admin.browser.get('/admin/audit')).text).to.include('Right to sell set');
      await save('people', { selling: 'everybody' });
      expect((await caller.submit('/api/marketplace/publish', listingForm())).status).to.equal(200);
    },
  );

  itLong('show a logo on all pages, in a small form, until it is removed', async () => {
    const path = `${here}/logo`;
    const logoOn = async (page: string) =>
      (await service.browser().get(page)).elements('img').find(({ attributes }) => attributes.class === 'logo');
    expect(await logoOn('/')).to.equal(undefined);
    const wide = await sharp({ create: { width: 900, height: 300, channels: 4, background: '#376' } })
      .png()
      .toBuffer();
    const file = new File([wide], 'logo.png', { type: 'image/png' });
    expect((await admin.browser.fill(path, { logo: file })).location).to.equal(here);
    const src = (await logoOn('/'))?.attributes.src ?? '';
    for (const page of ['/marketplace', '/docs', '/docs/buying', '/sign-in', '/nothing']) {
      expect((await logoOn(page))?.attributes.src?.replace(/^(?:\.\.?\/)+/, ''), page).to.equal(src.slice(2));
    }
    const sent = await fetch(service.url + src.slice(1));
    expect([sent.status, sent.headers.get('Content-Type')]).to.deep.equal([200, 'image/png']);
    const iconOn = async (page: string) =>
      (await service.browser().get(page)).elements('link').find(({ attributes }) => attributes.rel === 'icon')
        ?.attributes.href;
    const icon = await fetch(service.url + (await iconOn('/'))?.slice(1));
    expect([icon.status, icon.headers.get('Content-Type')]).to.deep.equal([200, 'image/svg+xml']);
    const drawn = sharp(Buffer.from(await icon.arrayBuffer()));
    expect(await drawn.metadata(), 'square').to.include({ width: 64, height: 64 });
    expect([...(await drawn.raw().toBuffer()).subarray(0, 3)], 'the start of the logo').to.deep.equal([51, 119, 102]);
    await service.browser().fill('/forgot-password', { email: 'nobody@example.com' });
    expect((await service.rows('mails')).at(-1)?.html).to.include('src="cid:logo@latchkey"');
    expect(sent.headers.get('Cache-Control')).to.include('immutable');
    expect(await sharp(Buffer.from(await sent.arrayBuffer())).metadata()).to.include({ width: 336, height: 112 });
    expect((await admin.browser.get(here)).elements('img').length).to.equal(2);
    expect((await admin.browser.get('/admin/audit')).html).to.not.include('base64');
    expect((await admin.browser.post(`${path}/remove`, {})).location).to.equal(here);
    expect(await logoOn('/')).to.equal(undefined);
    expect(await iconOn('/')).to.include('assets/icon-');
    expect((await fetch(service.url + src.slice(1))).status).to.equal(404);
  });

  itLong('422 for what is no logo, with the message beside the field', async () => {
    const damaged = new File([pngOf().slice(0, 40)], 'logo.png', { type: 'image/png' });
    for (const logo of [damaged, new File(['<svg/>'], 'logo.svg', { type: 'image/svg+xml' })]) {
      const page = await admin.browser.fill(`${here}/logo`, { logo });
      expect([page.status, Object.keys(page.faults)]).to.deep.equal([422, ['logo']]);
    }
    expect((await admin.browser.fill(`${here}/logo`, {})).faults).to.deep.equal({ logo: 'Choose a PNG or JPG image.' });
    const { browser } = await service.signedInUser();
    expect((await browser.post(`${here}/logo/remove`, {})).status).to.equal(403);
  });

  itLong('name a mail server, and the next mail goes to it; only with the password, which is never shown', async () => {
    await using smtp = await startSmtp();
    await using sending = await startDashboardService({}, { hasWorker: true });
    const root = await sending.signedInUser({ role: 'admin', email: 'root@example.com' });
    const path = `${here}/mail`;
    sending.clock.advance(16 * 60_000);
    const server = `smtp://127.0.0.1:${smtp.port}`;
    const typed = { mail_server: server, mail_from: 'Acme <shop@example.com>' };
    const [none, wrong] = [
      await root.browser.fill(path, typed),
      await root.browser.fill(path, { ...typed, current_password: 'not this one' }),
    ];
    for (const refused of [none, wrong]) {
      expect([refused.status, Object.keys(refused.faults)]).to.deep.equal([422, ['current_password']]);
      expect(refused.html).to.not.include(server);
    }
    const current_password = root.password;
    const odd = await root.browser.fill(path, { ...typed, mail_server: 'smtp://ada:pa/ss@host', current_password });
    expect([odd.status, odd.faults.mail_server ?? '']).to.deep.equal([
      422,
      'It cannot be read; in a user or password, write %2F for /, %3F for ?, %23 for #, %40 for @ and %25 for %.',
    ]);
    expect(odd.html).to.not.include('pa/ss');
    const saved = await root.browser.fill(path, typed);
    expect(saved.location).to.equal(here);
    await root.browser.fill('/admin/mails/test', { address: 'bob@example.com' });
    await eventually('the mail arrives', () => smtp.received.length > 0);
    expect(smtp.received[0]).to.deep.include({ from: 'shop@example.com', to: ['bob@example.com'] });
    for (const shown of [path, here, `${here}/export`, '/admin/audit'])
      expect((await root.browser.get(shown)).html, shown).to.not.include('127.0.0.1');
    expect((await root.browser.get(here)).text).to.include('Set, and never shown');
    expect(JSON.stringify(await sending.rows('site_settings'))).to.not.include('127.0.0.1');
    // An empty field keeps it.
    expect((await root.browser.fill(path, { mail_from: 'other@example.com', mail_server: '' })).status).to.equal(303);
    await root.browser.fill('/admin/mails/test', { address: 'bob@example.com' });
    await eventually('the mail arrives', () => smtp.received.length > 1);
    expect(smtp.received[1]?.from).to.equal('other@example.com');
    await root.browser.fill(path, { mail_server: 'outbox:' });
    const kept = await root.browser.follow(
      await root.browser.fill('/admin/mails/test', { address: 'eve@example.com' }),
    );
    const isKept = async () => (await root.browser.get(kept.path)).text.includes('Only kept');
    await eventually('the mail is only kept', isKept);
  });

  itLong('of mail need a sender, and say what is wrong at each field', async () => {
    const path = `${here}/mail`;
    const alone = await admin.browser.fill(path, { mail_server: 'smtp://mail.example.com', mail_from: '' });
    expect([alone.status, alone.faults]).to.deep.equal([422, { mail_from: 'A mail server needs a sender.' }]);
    const wrong = await admin.browser.fill(path, { mail_server: 'mail.example.com', mail_from: 'Ada' });
    expect([wrong.status, Object.keys(wrong.faults)]).to.deep.equal([422, ['mail_from', 'mail_server']]);
  });

  itLong('let buyers pay by hand, with the instructions, and stop it', async () => {
    const product = await addForSale({ products: await service.parts.get(t.productStore) });
    const path = `/marketplace/${product.slug}`;
    const buyer = service.browser();
    const canBuy = async () => (await buyer.get(path)).links.some(({ href }) => href.endsWith('/buy'));
    expect(await canBuy()).to.equal(false);
    await save('payments', { payment_instructions: 'To account 123\r\nof <Example> Bank' });
    expect(await canBuy()).to.equal(true);
    const order = await buyer.follow(await buyer.fill(`${path}/buy`, { email: 'zoe@example.com', name: 'Zoë' }));
    expect(order.status).to.equal(200);
    expect(order.text).to.match(/To account 123\s+of <Example> Bank/);
    const letter = (await service.letters('zoe@example.com')).find(({ kind }) => kind === 'order-instructions');
    expect(letter?.text).to.include('To account 123');
    await save('payments', { payment_instructions: '' });
    expect(await canBuy()).to.equal(false);
    expect((await buyer.get(order.path)).status).to.equal(200);
    const tooLong = await save('payments', { payment_instructions: 'x'.repeat(2_001) });
    expect([tooLong.status, Object.keys(tooLong.faults)]).to.deep.equal([422, ['payment_instructions']]);
  });

  itLong('of payments are those of PAYMENTS_URL, if it is set', async () => {
    for (const [settings, shown] of [
      [{ PAYMENTS_URL: 'manual:', PAYMENT_INSTRUCTIONS: 'By bank' }, 'By bank'],
      [{ PAYMENTS_URL: 'test:', PAYMENT_INSTRUCTIONS: 'By bank' }, 'Not set'],
    ] as const) {
      await using fixed = await startDashboardService(settings);
      const { browser } = await fixed.signedInUser({ role: 'admin' });
      const all = (await browser.get(here)).text;
      expect(all).to.include(shown);
      expect(all.match(/Set by PAYMENTS_URL/g), 'once for all ways to pay').to.have.lengthOf(1);
      const group = await browser.get(`${here}/payments`);
      expect(group.text).to.include(shown).and.include('Back to the settings').and.not.include('Save');
      await browser.post(`${here}/payments`, { payment_instructions: 'Mine' });
      const { manual } = await fixed.parts.get(t.paymentSettings);
      expect(manual?.instructions).to.equal(shown === 'By bank' ? shown : undefined);
    }
  });

  itLong('say which variable of the environment sets them, and cannot be changed then', async () => {
    await using fixed = await startDashboardService({ SITE_NAME: 'From <outside>' });
    const { browser } = await fixed.signedInUser({ role: 'admin' });
    expect((await browser.get(here)).text).to.include('From <outside> Set by SITE_NAME');
    const form = await browser.get(`${here}/appearance`);
    expect(form.text).to.include('The environment variable SITE_NAME of the server sets this.');
    expect(form.forms.at(-1)?.values).to.not.have.property('site_name');
    const sent = await browser.post(`${here}/appearance`, { site_name: 'Mine', description: 'Mine too' });
    expect(sent.status).to.equal(303);
    const page = await browser.get('/');
    expect(page.title).to.equal('From <outside>');
    expect(page.text).to.include('Mine too');
  });

  itLong('are in the audit trail', async () => {
    await save('appearance', { site_name: 'Acme' });
    const page = await admin.browser.get('/admin/audit?type=setting.changed');
    const rows = page.elements('tr').map(({ text }) => text);
    expect(rows).to.have.lengthOf(2); // The first is the head.
    expect(rows[1]).to.match(/Setting changed ?site_name ?root@example\.com ?From: None ?To: Acme$/);
  });

  itLong('can be taken away as a file', async () => {
    await save('appearance', { site_name: 'Acme' });
    const { headers, html } = await admin.browser.get(`${here}/export`);
    expect(headers.get('Content-Disposition')).to.equal('attachment; filename="settings.json"');
    expect(headers.get('Cache-Control')).to.equal('no-store');
    const exported = JSON.parse(html);
    expect(Object.keys(exported)).to.deep.equal(settingNames);
    expect(exported).to.deep.include({
      site_name: { value: 'Acme', origin: 'database' },
      accent: { value: '', origin: 'fallback' },
    });
  });
});
