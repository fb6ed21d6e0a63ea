import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storeZip } from '../../apps/commands/store-zip.ts';
import type { Parts } from '../../apps/wiring/compose.ts';
import { t } from '../../apps/wiring/tokens.ts';
import type { Caller } from '../../core/accounts/accounts.ts';
import { event } from '../../core/events/event.ts';
import type { OrderId } from '../../core/id.ts';
import type { CheckedFile } from '../../core/marketplace/checked-file.ts';
import type { Product } from '../../core/marketplace/product.ts';
import { createLearn } from '../../core/purchases/settle.ts';
import { isRefused, type Refused } from '../../core/refusal.ts';
import { by, operator } from './by.ts';
import { addCoupon, orderWith } from './coupons.ts';
import { good } from './good.ts';
import { addOrder as addOrderTo, newOrder, newRating } from './orders.ts';
import { pngOf, zipOf } from './samples.ts';
import { addEndpoint, settled, turnResult } from './webhooks.ts';

/** Returns the result. Throws the reason if it is a refusal. */
export async function sound<T>(work: Promise<T | Refused>): Promise<T> {
  const done = await work;
  if (isRefused(done)) throw new Error(done.detail ?? done.reason);
  return done;
}

/** Returns a file as the HTTP service passes it to the use cases. */
async function incoming(parts: Parts, kind: CheckedFile['kind'], content: Buffer): Promise<CheckedFile> {
  const path = join((await parts.get(t.files)).staging, randomUUID());
  await writeFile(path, content);
  return { path, kind, size: content.length };
}

/** Uploads a PNG image with this width in pixels. */
export async function addUpload(parts: Parts, caller: Caller, width: number): Promise<void> {
  await sound((await parts.get(t.marketplace)).upload(caller, await incoming(parts, 'png', pngOf(width, 10))));
}

/** Adds a user, a queued mail, and a product, an upload and a template, which all have files. `name` must be new to the service. */
export async function addFiles(parts: Parts, name: string) {
  const accounts = await parts.get(t.accounts);
  const user = await sound(accounts.add({ name, email: `${name}@example.com`, tier: 'pro' }, operator));
  const caller: Caller = { user, mode: 'live' };
  const zip = await zipOf([{ name: `${name}.txt`, content: name.repeat(20_000), compress: false }]);
  const listing = {
    title: `Jar ${name}`,
    tagline: 'Tips',
    description: 'Takes tips,\nand\tkeeps them.',
    price: 4_900,
    module: 'custom',
    variant: null,
    category: 'tools',
    subcategory: null,
    tags: ['tips'],
    blockchains: ['base'],
    isSupported: true,
  };
  const files = [await incoming(parts, 'zip', zip), await incoming(parts, 'png', pngOf(20, 10))] as const;
  const product = await sound((await parts.get(t.marketplace)).publish(caller, listing, ...files));
  await addUpload(parts, caller, 40);
  const { path } = await incoming(parts, 'zip', zip);
  const templates = await parts.get(t.templateAdministration);
  const texts = { title: name, description: 'A template.', category: 'defi-dex', tier: 'free' } as const;
  const template = await sound(
    storeZip(parts, path, (key) =>
      templates.add({ slug: `template-${name}`, ...texts, tags: ['dex'], parameters: [], zip: key }, operator),
    ),
  ).finally(() => rm(path));
  await sound((await parts.get(t.mails)).sendTest(`${name}@example.com`, operator));
  return { caller, product, template };
}

/** Adds a webhook that gets everything about this product, in the mode of its product. */
export async function addWebhook(parts: Parts, { id, ownerId, isLive }: Product): Promise<void> {
  if (ownerId === null) throw new Error('Nobody has the product.');
  const store = await parts.get(t.webhookStore);
  const now = (await parts.get(t.clock)).now();
  await addEndpoint({ webhooks: store }, ownerId, { productId: id, isLive, createdAt: now });
}

/** Adds an order of this product, pays it, and rates the product. Adds a subscription with a later payment, too, and a used coupon. */
export async function addOrder(parts: Parts, product: Product): Promise<void> {
  const ports = await parts.get(t.orderPorts);
  const createdAt = ports.clock.now();
  const times = { createdAt, updatedAt: createdAt };
  const { id } = await addOrderTo({ orders: ports.store }, product, times);
  const pay = (order: OrderId) =>
    createLearn(ports)(order, ({ payment }) => ({ payment: { ...payment, status: 'paid' } }), by);
  const { licenseKey: renews = null } = good(await pay(id)) ?? {};
  const offer = { slug: 'more', name: 'More', kind: 'upgrade', updatesMonths: null, entitlements: [] } as const;
  const agreed = { ...newOrder(product).agreed, offer };
  const upgrade = await addOrderTo({ orders: ports.store }, product, { ...times, renews, agreed });
  await sound(pay(upgrade.id));
  const recurs = { months: 1, graceDays: 7, perpetualAfter: null };
  const subscribed = { ...agreed, offer: { ...offer, slug: 'monthly', kind: 'subscription', recurs } as const };
  const first = await addOrderTo({ orders: ports.store }, product, { ...times, agreed: subscribed });
  const { licenseKey = null } = good(await pay(first.id)) ?? {};
  const cycle = { renews: licenseKey, cycleOf: first.id, agreed: subscribed };
  const later = await addOrderTo({ orders: ports.store }, product, { ...times, ...cycle });
  await sound(pay(later.id));
  const coupons = await parts.get(t.couponStore);
  const isOf = { sellerId: product.ownerId, isLive: product.isLive, createdAt };
  const coupon = await addCoupon({ coupons }, { ...isOf, code: `LAUNCH-${id}` });
  await addOrderTo({ orders: ports.store }, product, { ...orderWith(coupon, product), ...times });
  const rating = newRating(
    { id, productId: product.id },
    { buyerEmail: `${id}@example.com`, reply: 'Thanks', repliedAt: createdAt },
  );
  await (await parts.get(t.ratingStore)).add(rating, event('rating.written', product.slug, by, createdAt), {});
}

/** Makes one attempt at each delivery that is due. */
export async function attemptWebhooks(parts: Parts): Promise<void> {
  const queue = await parts.get(t.webhookQueue);
  const now = (await parts.get(t.clock)).now();
  for (const turn of await queue.claim({ now, until: now + 1, most: 999 })) {
    const due = await queue.due(turn, now, 999);
    await queue.settle(turn, turnResult({ settled: due.map((one) => settled(one, undefined, undefined, now)) }));
  }
}
