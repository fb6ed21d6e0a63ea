import Validator from '@adobe/structured-data-validator';
import WebAutoExtractor from '@marbec/web-auto-extractor';
import { expect } from 'chai';
import { operator } from '../../../support/by.ts';
import { listingForm } from '../../../support/forms.ts';
import { good } from '../../../support/good.ts';
import { itLong } from '../../../support/required-service.ts';
import { type AccountService, startAccountService } from '../account/account-service.ts';

/** Returns the errors of the validator, without its warnings about optional fields. */
async function errorsIn(html: string): Promise<string[]> {
  const data = new WebAutoExtractor({ addLocation: true, embedSource: ['rdfa', 'microdata'] }).parse(html);
  const issues = await new Validator().validate(data);
  return issues.filter(({ severity }) => severity === 'ERROR').map(({ issueMessage }) => issueMessage);
}

describe('structured data, as a validator from outside reads it', () => {
  let service: AccountService;
  let product: string;
  before(async () => {
    service = await startAccountService();
    const seller = await service.account('pro');
    const { body } = await seller.submit(
      '/api/marketplace/publish',
      listingForm({ title: 'Jar </script>', price: '10' }),
    );
    const { id, slug } = body.product as { id: number; slug: string };
    good(await service.products.change(String(id), 'approve', operator));
    product = `/marketplace/${slug}`;
  });
  after(() => service.close());

  const pageAt = async (path: string) => (await service.send(path, { headers: { Accept: 'text/html' } })).text;

  itLong('has no error on public pages', async () => {
    for (const [path, has] of [
      ['/', '"WebSite"'],
      ['/marketplace', '"BreadcrumbList"'],
      [product, '"Product"'],
      ['/docs/selling', '"BreadcrumbList"'],
    ] as const) {
      const html = await pageAt(path);
      expect(html, path).to.include(has);
      expect(await errorsIn(html), path).to.deep.equal([]);
    }
  });

  itLong('is really checked: a product without a price or a name has errors', async () => {
    const html = await pageAt(product);
    for (const [part, broken] of [
      [/"price":"?[\d.]+"?,/, ''],
      [/"name":"Jar[^"]*",/, ''],
    ] as const) {
      expect(html).to.match(part);
      expect(await errorsIn(html.replace(part, broken)), String(part)).to.not.deep.equal([]);
    }
  });
});
