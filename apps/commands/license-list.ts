import type { Command } from 'commander';
import type { ProductId } from '../../core/id.ts';
import { type License, statusOf } from '../../core/licensing/license.ts';
import type { LicenseKey } from '../../core/licensing/license-key.ts';
import type { Product } from '../../core/marketplace/product.ts';
import type { Instant } from '../../core/ports/clock.ts';
import { isRefused, type Refused, refuse } from '../../core/refusal.ts';
import type { Parts } from '../wiring/compose.ts';
import { t } from '../wiring/tokens.ts';
import { type Answer, type AnswerOptions, administer, answering, operator, reads } from './action.ts';
import { licenseKey, wholeNumber } from './fields.ts';
import { expires, productOf } from './license-answer.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';

interface Wanted {
  readonly product?: string;
  readonly limit: number;
  readonly after?: LicenseKey;
}

export function addLicenseListCommand(license: Command, terminal: Terminal): void {
  answering(
    license
      .command('list')
      .description('List licenses in order of issue')
      .option('--product <id or slug>', 'only licenses of this product')
      .option('--limit <n>', 'the largest number of licenses, 1 to 10000', reads(wholeNumber(1, 10_000)), 100)
      .option('--after <key>', 'only licenses that were issued after this one', reads(licenseKey)),
  ).action((options: AnswerOptions & Wanted) => administer(terminal, options, (parts) => list(parts, options)));
}

async function list(parts: Parts, { product, limit, after }: Wanted): Promise<Answer | Refused> {
  const licensing = await parts.get(t.licensing);
  if (after !== undefined && isRefused(await licensing.status(after))) {
    return refuse('invalid_key', `No license has the key ${after}.`);
  }
  const products = await parts.get(t.products);
  const only = product === undefined ? undefined : await products.find(product, operator());
  if (isRefused(only)) return only;
  const issuing = await parts.get(t.issuing);
  const filter = { ...(only && { productId: only.id }), ...(after && { after }), limit: limit + 1 };
  const found = await issuing.list(filter, operator());
  if (isRefused(found)) return found;
  const page = found.slice(0, limit);
  const clock = await parts.get(t.clock);
  return render(page, await productsOf(parts, page), found.length > limit, clock.now());
}

async function productsOf(parts: Parts, licenses: readonly License[]): Promise<Map<ProductId, Product>> {
  const products = await parts.get(t.products);
  const byId = new Map<ProductId, Product>();
  for (const id of new Set(licenses.map(({ productId }) => productId))) {
    const product = await products.find(String(id), operator());
    if (!isRefused(product)) byId.set(id, product);
  }
  return byId;
}

function render(
  licenses: readonly License[],
  products: ReadonlyMap<ProductId, Product>,
  isMore: boolean,
  now: Instant,
): Answer {
  const last = licenses.at(-1)?.key ?? null;
  const json = {
    licenses: licenses.map((license) => ({
      key: license.key,
      status: statusOf(license, now),
      product: productOf(products.get(license.productId)),
      domainsUsed: license.domainsUsed,
      maxDomains: license.maxDomains,
      expiresAt: license.expiresAt,
      createdAt: license.createdAt,
    })),
    nextAfter: isMore ? last : null,
  };
  const rows = licenses.map((license) => [
    license.key,
    statusOf(license, now),
    products.get(license.productId)?.slug ?? '',
    `${license.domainsUsed} of ${license.maxDomains}`,
    expires(license.expiresAt),
  ]);
  const text = table([['KEY', 'STATUS', 'PRODUCT', 'DOMAINS', 'EXPIRES'], ...rows]);
  return { json, text: isMore ? `${text}\nMore: --after ${last}` : text };
}
