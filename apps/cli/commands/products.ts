import { basename } from 'node:path';
import type { Command } from 'commander';
import type { AnswerOf } from '../../sdk/account/types.ts';
import { calling, confirmed, show, wholeNumber } from '../acting.ts';
import { day, inBytes, note, printFacts, printTable, say } from '../output.ts';

/** Own products and their versions. */
export function productsCommand(program: Command): void {
  const products = program.command('products').description('list and change your products');
  products
    .command('list')
    .description('list your products, newest first')
    .argument('[text]', 'find by title or slug')
    .option('--status <status>', 'pending, published, rejected, unlisted or archived')
    .option('--limit <number>', 'the most products to list', wholeNumber(1), 30)
    .action(
      calling<{ status?: string; limit: number }, readonly [string | undefined]>(async ({ list }, options, q) => {
        const found = await list('/api/products', { query: { q, status: options.status } }, options.limit);
        show(options, found, () => {
          if (found.length === 0) return note('There are no such products.');
          printTable(
            ['SLUG', 'TITLE', 'STATUS', 'PRICE', 'VERSION', 'CHANGED'],
            found.map((one) => [
              one.slug,
              one.title,
              one.archived_at === null ? one.status : 'archived',
              one.price,
              one.version ?? '',
              day(one.updated_at),
            ]),
          );
        });
      }),
    );
  products
    .command('show')
    .description('show a product')
    .argument('<product>', 'id or slug')
    .action(
      calling(async ({ get }, options, id: string) => {
        const { product } = await get('/api/products/{id}', { path: { id } });
        show(options, product, () => printProduct(product));
      }),
    );
  products
    .command('versions')
    .description('list the versions of a product, newest first')
    .argument('<product>', 'id or slug')
    .action(
      calling(async ({ list }, options, id: string) => {
        const found = await list('/api/products/{id}/versions', { path: { id } }, 1000);
        show(options, found, () =>
          printTable(
            ['VERSION', 'DAY', 'SIZE', 'NOTES'],
            found.map((one) => [
              one.number,
              day(one.created_at),
              one.size === null ? '' : inBytes(one.size),
              one.notes,
            ]),
          ),
        );
      }),
    );
  products
    .command('release')
    .description('upload a new version of a product')
    .argument('<product>', 'id or slug')
    .argument('<zip>', 'the file')
    .option('--number <number>', 'such as 1.2.0; default: the next whole number')
    .option('--notes <text>', 'what is new')
    .option('--for-everybody', 'licenses whose updates have ended may fetch it too, such as a security fix')
    .action(
      calling<{ number?: string; notes?: string; forEverybody?: boolean }, readonly [string, string]>(
        async (api, options, id, zip) => {
          const { checkFile } = await import('../check-file.ts');
          await checkFile(zip, ['zip']);
          const { upload } = await import('../transfer.ts');
          const { number, notes, forEverybody } = options;
          const answer = await upload(
            api,
            '/api/products/{id}/versions',
            { id },
            { number, notes, for_everybody: forEverybody ? 'true' : undefined },
            { product_zip: zip },
          );
          show(options, answer, () => say(`Uploaded version ${answer.version.number} of ${answer.product.slug}.`));
        },
      ),
    );
  products
    .command('delete-version')
    .description('delete an older version that no buyer needs, to get room for new files')
    .argument('<product>', 'id or slug')
    .argument('<version>', 'its number')
    .option('-y, --yes', 'do not ask')
    .action(
      calling<{ yes?: boolean }, readonly [string, string]>(async ({ delete: remove }, options, id, version) => {
        await confirmed(`Delete version ${version} of ${id}?`, options.yes);
        const { product } = await remove('/api/products/{id}/versions/{version}', { path: { id, version } });
        show(options, product, () => say(`Deleted version ${version} of ${product.slug}.`));
      }),
    );
  products
    .command('download')
    .description('download the zip of a product')
    .argument('<product>', 'id or slug')
    .option('--of <version>', 'the number of a version; default: the newest')
    .option('-o, --out <file>', 'where to store it')
    .option('--force', 'replace a file that exists')
    .action(
      calling<{ of?: string; out?: string; force?: boolean }, readonly [string]>(async ({ get }, options, id) => {
        const query = { version: options.of };
        const { url, filename } = await get('/api/products/{id}/download', { path: { id }, query });
        const { download } = await import('../transfer.ts');
        const file = options.out ?? basename(filename);
        await download(url, file, options.force);
        show(options, { file }, () => say(`Stored ${file}.`));
      }),
    );
  for (const [name, description] of [
    ['unlist', 'take a product off the marketplace'],
    ['relist', 'list an unlisted product again'],
    ['resubmit', 'submit a rejected product again'],
  ] as const) {
    products
      .command(name)
      .description(description)
      .argument('<product>', 'id or slug')
      .action(
        calling(async ({ post }, options, id: string) => {
          const { product } = await post(`/api/products/{id}/${name}`, { path: { id } });
          show(options, product, () => say(`${product.slug} is ${product.status}.`));
        }),
      );
  }
  products
    .command('archive')
    .description('take a product off the marketplace for good; its licenses still work')
    .argument('<product>', 'id or slug')
    .option('-y, --yes', 'do not ask')
    .action(
      calling<{ yes?: boolean }, readonly [string]>(async ({ post }, options, id) => {
        await confirmed(`Archive ${id} for good?`, options.yes);
        const { product } = await post('/api/products/{id}/archive', { path: { id } });
        show(options, product, () => say(`${product.slug} is archived.`));
      }),
    );
}

function printProduct(one: AnswerOf<'/api/products/{id}', 'get'>['product']): void {
  printFacts([
    ['Title', one.title],
    ['Slug', one.slug],
    ['Status', one.archived_at === null ? one.status : 'archived'],
    ...(one.rejection_reason === null ? [] : ([['Rejected', one.rejection_reason]] as const)),
    ['Price', `${one.price} USD`],
    ...Object.entries(one.prices).map(([currency, price]) => ['', `${price} ${currency.toUpperCase()}`] as const),
    ...(one.pay_what_you_want === null
      ? []
      : [
          ['', `buyers choose, at least ${one.pay_what_you_want.least} USD`] as const,
          ...Object.entries(one.pay_what_you_want.least_prices).map(
            ([currency, least]) => ['', `at least ${least} ${currency.toUpperCase()}`] as const,
          ),
        ]),
    ['Version', one.version ?? '–'],
    ['Domains', `${one.terms.max_domains} for each license`],
    ['Duration', one.terms.duration === null ? 'for ever' : `${one.terms.duration.days} days`],
    ['Page', one.marketplace_url],
  ]);
}
