import { expect } from 'chai';
import { t } from '../../../../apps/wiring/tokens.ts';
import { questionLimits } from '../../../../core/marketplace/questions.ts';
import { operator } from '../../../support/by.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type SellingService, startSellingService } from '../account/selling-service.ts';
import type { Person } from './dashboard-service.ts';

const onSale = { status: 'published', archivedAt: null, price: 4900, thumbnail: null } as const;
const mailing = { MAIL_URL: 'smtp://mail.example', MAIL_FROM: 'shop@example.com' };
const hour = 3_600_000;

describe('questions to the seller', () => {
  let service: SellingService;
  let seller: Person;
  let count = 0;
  before(async () => {
    service = await startSellingService(mailing);
  });
  beforeEach(async () => {
    service.clock.advance(24 * hour);
    seller = await service.signedInUser({ name: 'Ada' });
    await service.product(seller, `jar-${++count}`, { ...onSale, title: 'Jar <b>&' });
  });
  after(() => service.close());

  const path = () => `/marketplace/jar-${count}/ask`;
  const lettersOf = async (email = seller.email) =>
    (await service.letters(email)).filter(({ kind }) => kind === 'product-question');
  const ask = (fields: Record<string, string> = {}, browser = service.browser()) =>
    browser.fill(path(), { question: 'Does it work with Base?', ...fields });

  itLong('200: go to the seller by mail, with the address of the visitor only if the visitor wants that', async () => {
    expect((await service.browser().get(`/marketplace/jar-${count}`)).html).to.include(`href="./jar-${count}/ask"`);
    const sent = await ask({ email: 'bob@example.com' });
    expect([sent.status, sent.heading]).to.deep.equal([200, 'Your question is on its way']);
    await ask({ share: 'yes', email: 'Bob@Example.com', question: 'Two\nlines' });
    const grace = await service.signedInUser({ name: 'Grace' });
    await ask({ share: 'yes' }, grace.browser);
    await ask({}, grace.browser);
    const letters = await lettersOf();
    expect(letters.map(({ text }) => [text.includes('bob@example.com'), text.includes(grace.email)])).to.deep.equal([
      [false, false],
      [true, false],
      [false, true],
      [false, false],
    ]);
    expect(letters[0]?.text).to.include('Does it work with Base?').and.to.include('Jar <b>&');
    expect(letters[0]?.text).to.include(`/marketplace/jar-${count}`);
    const trail = JSON.stringify(await service.rows('audit_log'));
    expect(trail).to.include('product.question_asked').and.to.not.include('work with Base');
  });

  it('go to the administrators if the product is of the site', async () => {
    const admin = await service.signedInUser({ name: 'Root', role: 'admin' });
    await service.product(null, `jar-${++count}`, onSale);
    await ask();
    expect(await lettersOf(admin.email)).to.have.lengthOf(1);
  });

  itLong('422 without a question, with one that is too long, or if the address for the answer is missing', async () => {
    for (const [fields, message] of [
      [{ question: ' ' }, 'Enter your question.'],
      [{ question: 'x'.repeat(2001) }, 'at most 2000'],
      [{ share: 'yes' }, 'Enter your e-mail address'],
      [{ share: 'yes', email: 'bob' }, 'Enter your e-mail address'],
    ] as const) {
      const sent = await ask(fields);
      expect([sent.status, sent.text.includes(message)], message).to.deep.equal([422, true]);
    }
    expect(await lettersOf()).to.deep.equal([]);
  });

  itLong('429 if one visitor, or all together, ask one seller too often', async () => {
    const [{ limit: ofClient }] = questionLimits.ofOne;
    const [{ limit: ofSeller }] = questionLimits.bySeller;
    const from = (n: number) => service.browser({ 'X-Forwarded-For': `10.0.0.${n}` });
    for (let n = 0; n < ofClient; n++) expect((await ask({}, from(1))).status).to.equal(200);
    const refused = await ask({}, from(1));
    expect([refused.status, refused.headers.get('Retry-After')]).to.deep.equal([429, '3600']);
    await service.product(await service.signedInUser(), `other-${count}`, onSale);
    const other = await service.browser({ 'X-Forwarded-For': '10.0.0.1' }).fill(`/marketplace/other-${count}/ask`, {
      question: 'Does it work?',
    });
    expect(other.status, 'another seller').to.equal(200);
    for (let n = ofClient; n < ofSeller; n++) await ask({}, (await service.signedInUser()).browser);
    expect((await ask({}, (await service.signedInUser()).browser)).status).to.equal(429);
    expect(await lettersOf()).to.have.lengthOf(ofSeller);
  });

  itLong(
    '404 for a product that is not for sale, and on a site that sends no mail; none to a suspended seller',
    async () => {
      expect((await service.browser().get('/marketplace/nothing/ask')).status).to.equal(404);
      await service.product(seller, `hidden-${count}`, { ...onSale, status: 'pending' });
      expect((await service.browser().get(`/marketplace/hidden-${count}/ask`)).status).to.equal(404);
      good(await (await service.parts.get(t.userAdministration)).suspend(seller.email, operator));
      expect((await service.browser().get(`/marketplace/jar-${count}/ask`)).status).to.equal(404);
      expect((await service.browser().get(`/marketplace/jar-${count}`)).html).to.not.include('/ask"');
      await using silent = await startSellingService();
      await silent.product(null, 'jar', onSale);
      expect((await silent.browser().get('/marketplace/jar/ask')).status).to.equal(404);
      expect((await silent.browser().get('/marketplace/jar')).html).to.not.include('/ask');
    },
  );
});
