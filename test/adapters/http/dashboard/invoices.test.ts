import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { invoiceSheet, noteSheet } from '../../../../adapters/http/ui/invoice-sheet.ts';
import { t } from '../../../../apps/wiring/tokens.ts';
import { must } from '../../../support/license-acts.ts';
import { itLong, needing, requiredService } from '../../../support/required-service.ts';
import { shop } from '../../../support/shop.ts';
import type { WebClient } from '../../../support/web-client.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const pdftotext = requiredService('TEST_PDFTOTEXT', 'pdftotext, such as /usr/bin/pdftotext');
const onSale = { status: 'published', archivedAt: null, price: 4900, sellerName: 'Ada & Co' } as const;
const run = promisify(execFile);

const company = {
  company: 'شركة النور للتجارة',
  street: '上海市 5 号\r\nHinterhaus',
  postal_code: '10115',
  city: 'Łódź',
  region: '',
  country: 'DE',
  tax_id: 'de 136 695 976',
};
const seller = {
  ...{ company: 'Lovelace Labs GmbH', street: 'Rosenweg 5', postal_code: '10115', city: 'Berlin', region: '' },
  ...{ country: 'DE', tax_id: 'DE136695976', email: 'billing@lovelace.example', prefix: 'LL-' },
  ...{ note: 'Thank you.', tax_name: 'VAT', tax_rate: '19' },
};

describe('the pages of invoices', () => {
  let service: SellingService;
  let guest: WebClient;
  let ada: Person;
  let slugs = 0;
  before(async () => {
    service = await startSellingService(shop);
    ada = await service.signedInUser({ name: 'Ada' });
  });
  beforeEach(() => {
    service.clock.advance(3_600_000);
    guest = service.browser();
  });
  after(() => service.close());

  /** Buys a product of Ada with play money, and returns the path of the order. */
  async function bought(fields: Record<string, string> = {}, title = 'Swap'): Promise<string> {
    slugs++;
    const { slug } = await service.product(ada, `invoiced-${slugs}`, { ...onSale, title });
    const begun = await guest.fill(`/marketplace/${slug}/buy`, {
      email: `${slug}@example.com`,
      way: 'test',
      ...fields,
    });
    const path = /^\/orders\/[0-9a-z]{24}/.exec(begun.location ?? '')?.[0] ?? '';
    expect(path, begun.text).to.not.equal('');
    await guest.submit(await guest.get(`${path}/pay`), {}, 'Pay $49.00');
    return path;
  }

  async function fileAt(path: string) {
    const answer = await fetch(service.url + path);
    return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
  }

  itLong('are mentioned to a seller who has sold something and has entered no details', async () => {
    const text = 'Many companies need your address and tax ID';
    expect((await ada.browser.get('/selling/live')).text).not.to.include(text);
    await bought();
    service.clock.advance(3_000);
    const page = await ada.browser.get('/selling/live');
    expect(page.text).to.include(text);
    expect(page.html).to.include('selling/live/orders/invoice-details"');
  });

  it('name seller and buyer, the number with its prefix, and the tax that the price contains', async () => {
    expect((await ada.browser.fill('/selling/live/orders/invoice-details', seller)).status).to.equal(303);
    expect((await ada.browser.get('/selling/live')).text).not.to.include('Many companies need');
    const path = await bought(company);
    const page = await guest.get(`${path}/invoice`);
    expect(page.heading).to.match(/^Invoice LL-\d+$/);
    for (const text of [
      ...['Lovelace Labs GmbH', 'Rosenweg 5', 'Germany', 'billing@lovelace.example', 'Thank you.'],
      ...['شركة النور للتجارة', '上海市 5 号', 'Łódź', 'Tax ID DE136695976', 'Includes VAT 19 % (Germany)', '$7.82'],
    ]) {
      expect(page.text).to.include(text);
    }
    await ada.browser.fill('/selling/live/orders/invoice-details', { ...seller, company: 'Renamed' });
    expect((await guest.get(`${path}/invoice`)).text)
      .to.include('Lovelace Labs GmbH')
      .and.to.not.include('Renamed');
    expect((await guest.get(`${path}/receipt`)).location).to.equal(`${path}/invoice`);
  });

  itLong('keep whether the seller is exempt from VAT, which no price can contain then', async () => {
    const path = '/selling/live/orders/invoice-details';
    const refused = await ada.browser.fill(path, { ...seller, vat_exempt: 'yes' });
    expect([refused.status, Object.keys(refused.faults)]).to.deep.equal([422, ['vat_exempt']]);
    const exempt = { ...seller, tax_name: '', tax_rate: '', vat_exempt: 'yes' };
    expect((await ada.browser.fill(path, exempt)).status).to.equal(303);
    expect((await ada.browser.get(path)).html).to.match(/name="vat_exempt" value="yes" checked/);
    const french = { ...company, country: 'FR', tax_id: 'FR40303265045', company: 'Paris SARL' };
    const invoice = await guest.get(`${await bought(french)}/invoice`);
    expect(invoice.text).to.include('FR40303265045').and.not.include('Reverse charge');
    expect((await ada.browser.fill(path, { ...exempt, vat_exempt: [] })).status).to.equal(303);
    expect((await guest.get(`${await bought(french)}/invoice`)).text).to.include('Reverse charge');
  });

  itLong('refuse details that are no address or no VAT id, and keep what was typed', async () => {
    slugs++;
    const { slug } = await service.product(ada, `invoiced-${slugs}`, { ...onSale, title: 'Swap' });
    const buy = `/marketplace/${slug}/buy`;
    for (const [field, value] of [
      ['company', ''],
      ['street', ''],
      ['city', ''],
      ['country', 'XX'],
      ['tax_id', 'DE123456789'],
    ] as const) {
      const refused = await guest.fill(buy, { email: 'a@example.com', way: 'test', ...company, [field]: value });
      expect([refused.status, Object.keys(refused.faults)], field).to.deep.equal([422, [field]]);
      expect(refused.html).to.include('<details class="folded company" open');
    }
    const empty = { street: '', city: '', country: '' };
    const several = await guest.fill(buy, { email: 'a@example.com', way: 'test', ...company, ...empty });
    expect(Object.keys(several.faults), 'all at once').to.have.members(['street', 'city', 'country']);
    const details = { ...seller, ...empty, email: 'nobody', prefix: 'LL', tax_rate: '900' };
    const own = await ada.browser.fill('/selling/live/orders/invoice-details', details);
    expect(Object.keys(own.faults)).to.have.members(['street', 'city', 'country', 'email', 'prefix', 'tax_rate']);
    const odd = await guest.fill(buy, { email: 'a@example.com', way: 'test', ...company, company: 'A\u202eB' });
    expect(odd.status).to.equal(422);
  });

  itLong('have a credit note for each refund, and files with safe names', async () => {
    const path = await bought({ ...company, company: '=cmd|\' /C calc\'!A0 "x"' });
    await guest.fill(`${path}/pay`, { amount: '9.99' });
    await guest.submit(await guest.get(`${path}/pay`), {}, 'Refund $39.01');
    const page = await guest.get(`${path}/invoice`);
    const notes = [...page.html.matchAll(/credit-notes\/(\d+)\.pdf/g)].map(([, number]) => number);
    expect(notes).to.have.lengthOf(2);
    for (const text of ['−$9.99', '−$39.01', '$0.00']) expect(page.text).to.include(text);
    for (const end of ['invoice.pdf', `credit-notes/${notes[0]}.pdf`]) {
      const { answer, bytes } = await fileAt(`${path}/${end}`);
      expect([answer.status, answer.headers.get('Content-Type')]).to.deep.equal([200, 'application/pdf']);
      expect(answer.headers.get('Content-Disposition')).to.match(/^inline; filename="[a-z0-9-]+\.pdf"$/);
      expect(answer.headers.get('Cache-Control')).to.equal('private, no-store');
      expect(bytes.subarray(0, 5).toString()).to.equal('%PDF-');
    }
    expect((await fileAt(`${path}/credit-notes/999.pdf`)).answer.status).to.equal(404);
    expect((await fileAt(`${path}/credit-notes/${notes[0]}`)).answer.status).to.equal(404);
  });

  it('are in the mails about the payment and each refund, with their addresses', async () => {
    const path = await bought();
    const buyer = `invoiced-${slugs}@example.com`;
    const addresses = async () => {
      const last = must((await service.letters(buyer)).at(-1));
      return [...last.text.matchAll(/^(Invoice|Receipt|Credit note): (\S+) (\S+)$/gm)].map(
        ([, kind, number = '', url = '']) => {
          return [kind, number, new URL(url).pathname];
        },
      );
    };
    const number = must(/LL-\d+/.exec((await guest.get(`${path}/invoice`)).text)?.[0]);
    expect(await addresses()).to.deep.equal([['Invoice', number, `${path}/invoice`]]);
    await guest.fill(`${path}/pay`, { amount: '9.99' });
    const [[kind, note = '', file = ''] = []] = await addresses();
    expect([kind, file.startsWith(`${path}/credit-notes/`)]).to.deep.equal(['Credit note', true]);
    expect(note).to.match(/^LL-CN-\d+$/);
    expect((await fileAt(file)).answer.status).to.equal(200);
  });

  it('are those of the seller and of administrators too, and of nobody else: 404', async () => {
    const path = await bought();
    const store = await service.parts.get(t.orderStore);
    const order = await store.findByToken(path.slice('/orders/'.length));
    const own = `/selling/live/orders/${order?.id}`;
    expect((await ada.browser.get(`${own}/invoice`)).heading).to.match(/^Invoice/);
    expect((await ada.browser.get(`${own}/invoice.pdf`)).status).to.equal(200);
    const eve = await service.signedInUser({ name: 'Eve' });
    for (const end of ['invoice', 'invoice.pdf', 'credit-notes/1.pdf']) {
      expect((await eve.browser.get(`${own}/${end}`)).status, end).to.equal(404);
    }
    expect((await guest.get(`${own}/invoice`)).status).to.equal(303);
    expect((await eve.browser.get('/admin/settings/invoices')).status).to.equal(403);
  });

  needing(pdftotext.skip).it('have PDFs whose texts can be read, in every script', async () => {
    const long = 'A very long name of a product that needs several lines '.repeat(4).trim();
    const path = await bought({ ...company, region: 'Московская область', city: '\u0e01 Ελλάδα' }, long.slice(0, 100));
    const { bytes } = await fileAt(`${path}/invoice.pdf`);
    const file = join(await mkdtemp(join(tmpdir(), 'invoice-')), 'invoice.pdf');
    await writeFile(file, bytes);
    const { stdout: text } = await run(pdftotext.url ?? '', ['-raw', file, '-']);
    for (const part of ['上海市 5 号', 'شركة', 'النور', 'للتجارة', 'Московская область', 'Ελλάδα', 'DE136695976']) {
      expect(text).to.include(part);
    }
    // No font has the Thai letter.
    expect(text).to.include('□ Ελλάδα').and.to.include('cannot be printed');
    const source = bytes.toString('latin1');
    for (const part of ['/MarkInfo', '/StructTreeRoot', '/Lang', '/DisplayDocTitle true', '/FontFile2', '/FontFile3']) {
      expect(source).to.include(part);
    }
  });

  needing(pdftotext.skip).it('say that the buyer owes the VAT if the payment provider says so', async () => {
    const words = 'Reverse charge: the buyer owes the VAT.';
    const path = await bought({ ...company, country: 'GB', tax_id: '' });
    const token = path.slice('/orders/'.length);
    for (const isReverseCharge of [true, false]) {
      const invoice = { seller: null, taxes: [], isReverseCharge, correctedAt: null };
      await service.database.write((trx) =>
        trx('orders')
          .where({ token })
          .update({ invoice: JSON.stringify(invoice) }),
      );
      expect((await guest.get(`${path}/invoice`)).text.includes(words)).to.equal(isReverseCharge);
      const file = join(await mkdtemp(join(tmpdir(), 'invoice-')), 'invoice.pdf');
      await writeFile(file, (await fileAt(`${path}/invoice.pdf`)).bytes);
      const { stdout } = await run(pdftotext.url ?? '', [file, '-']);
      expect(stdout.includes(words)).to.equal(isReverseCharge);
    }
  });

  // The last one: afterwards, nobody is signed in any more.
  it('are corrected for 30 days, with the same number and the day of the correction', async () => {
    const path = await bought({ ...company, company: 'Before GmbH' });
    await guest.fill(`${path}/pay`, { amount: '9.99' });
    const before = (await guest.get(`${path}/invoice`)).heading;
    expect((await guest.fill(`${path}/billing`, company)).location).to.equal(`${path}/invoice`);
    const stored = await (await service.parts.get(t.orderStore)).findByToken(path.slice('/orders/'.length));
    const note = stored?.creditNotes[0];
    if (stored === undefined || note === undefined) throw new Error('There is no credit note.');
    expect(noteSheet(stored, note, 'Shop').parties[1]?.lines[0], 'as it was sent').to.equal('Before GmbH');
    expect(invoiceSheet(stored, 'Shop').parties[1]?.lines[0]).to.equal(company.company);
    const corrected = await guest.get(`${path}/invoice`);
    expect(corrected.heading).to.equal(before);
    expect(corrected.text).to.include('Corrected').and.to.include('شركة النور للتجارة');
    service.clock.advance(31 * 24 * 3_600_000);
    expect((await guest.get(`${path}/billing`)).status).to.equal(404);
    expect((await guest.get(`${path}/invoice`)).text).to.include('شركة النور للتجارة');
  });
});
