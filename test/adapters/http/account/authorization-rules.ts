import { exampleClaim } from '../../../support/example-claim.ts';
import { formOf, listingForm } from '../../../support/forms.ts';
import { pngOf, zipOf } from '../../../support/samples.ts';

/**
 * The thing that a route works on. It decides who may call the route. `caller`: only the account of the API key. `import`: one that the account has made.
 * `license`, `product`: one of the caller's own. `testLicense`: one of a test product. `contents`: own products that a new one contains. `lines`: the products that a file names. `moderated`: a product, for
 * administrators. `key`: an API key. `licenses`: each license on its own. `webhook`: a webhook or one of its
 * deliveries. `coupon`: one of the caller's. `order`, `subscription`, `claim`: one of the caller's products.
 */
export type About =
  | 'caller'
  | 'import'
  | 'product'
  | 'license'
  | 'testLicense'
  | 'licenses'
  | 'lines'
  | 'contents'
  | 'moderated'
  | 'key'
  | 'webhook'
  | 'coupon'
  | 'order'
  | 'claim'
  | 'subscription';

/** The callers with a working key that has the scope. */
export type Caller = 'owner' | 'stranger' | 'administrator' | 'otherMode';

/** The status that each caller gets. `none`: 200, but of no license that it names. */
export const rules = {
  caller: { owner: 200, stranger: 200, administrator: 200, otherMode: 200 },
  import: { owner: 200, stranger: 404, administrator: 404, otherMode: 404 },
  product: { owner: 200, stranger: 404, administrator: 200, otherMode: 404 },
  license: { owner: 200, stranger: 404, administrator: 200, otherMode: 404 },
  testLicense: { owner: 404, stranger: 404, administrator: 404, otherMode: 200 },
  licenses: { owner: 200, stranger: 'none', administrator: 200, otherMode: 'none' },
  // A fault in a line of the file.
  lines: { owner: 200, stranger: 422, administrator: 200, otherMode: 422 },
  contents: { owner: 200, stranger: 422, administrator: 422, otherMode: 422 },
  moderated: { owner: 403, stranger: 404, administrator: 200, otherMode: 404 },
  webhook: { owner: 200, stranger: 404, administrator: 200, otherMode: 404 },
  coupon: { owner: 200, stranger: 404, administrator: 200, otherMode: 404 },
  order: { owner: 200, stranger: 404, administrator: 200, otherMode: 404 },
  claim: { owner: 200, stranger: 404, administrator: 200, otherMode: 404 },
  subscription: { owner: 200, stranger: 404, administrator: 200, otherMode: 404 },
  // A test key may know the keys of its own account.
  key: { owner: 200, stranger: 404, administrator: 404, otherMode: 403 },
} as const satisfies Record<About, Record<Caller, 200 | 403 | 404 | 422 | 'none'>>;

/** A thing of the owner, or one that does not exist. */
export interface Thing {
  /** The id of a product. */
  readonly product: string;
  /** The id of another product. */
  readonly other: string;
  /** A license key. */
  readonly license: string;
  /** The id of an API key. */
  readonly key: string;
  /** The id of a webhook. */
  readonly webhook: string;
  /** The id of one of its deliveries. */
  readonly delivery: string;
  /** The id of a coupon. */
  readonly coupon: string;
  /** The id of an order, which began a subscription if the call is about one. */
  readonly order: string;
}

interface Sent {
  readonly about: About;
  /** The `:id` in the path, if it is that of no product and no key. */
  readonly id?: string;
  readonly query?: string;
  readonly json?: (thing: Thing) => object;
  readonly csv?: (thing: Thing) => string;
  readonly form?: () => FormData;
  /** The status of the product before the call. */
  readonly from?: 'published' | 'pending' | 'unlisted' | 'rejected';
  /** If true, the call needs a product with a file or a price. */
  readonly needsListing?: boolean;
  /** If true, the call needs a product with a version that can be deleted: 0.1.0. */
  readonly needsVersions?: boolean;
  /** If true, the call needs a second product. */
  readonly needsOther?: boolean;
  /** If true, the call needs a product that is a bundle. */
  readonly needsBundle?: boolean;
  /** If true, the call needs a product with the offer of the examples. */
  readonly needsOffer?: boolean;
}

const zip = await zipOf();
const deployment = {
  chain: 'sepolia',
  chain_id: 11_155_111,
  address: `0x${'5f'.repeat(20)}`,
  tx_hash: `0x${'a1'.repeat(32)}`,
};
const nothing = () => ({});

/** Every route of the account API by its id, with a call that succeeds for those who may make it. */
export const calls: Readonly<Record<string, Sent>> = {
  me: { about: 'caller' },
  'list-keys': { about: 'caller' },
  'revoke-key': { about: 'key' },
  'list-templates': { about: 'caller' },
  'list-categories': { about: 'caller' },
  'get-template': { about: 'caller', id: 'dex' },
  'download-template': { about: 'caller', id: 'dex' },
  publish: { about: 'caller', form: () => listingForm({ title: 'Something of mine' }) },
  'my-products': { about: 'caller' },
  upload: { about: 'caller', form: () => formOf({ file: pngOf() }) },
  preflight: { about: 'caller', json: () => deployment },
  register: { about: 'caller', json: () => deployment },
  'list-deployments': { about: 'caller' },
  'deployment-figures': { about: 'caller' },
  'export-deployment-figures': { about: 'caller' },
  'export-deployments': { about: 'caller' },
  'list-products': { about: 'caller' },
  'get-product': { about: 'product' },
  'change-product': { about: 'product', json: () => ({ title: 'Taken over' }) },
  'list-product-offers': { about: 'product' },
  'add-product-offer': { about: 'product', json: () => ({ name: 'Taken over', price: '1' }) },
  'change-product-offer': { about: 'product', needsOffer: true, json: () => ({ price: '1' }) },
  'remove-product-offer': { about: 'product', needsOffer: true },
  'list-release-codes': { about: 'product' },
  'add-release-code': {
    about: 'product',
    needsVersions: true,
    json: () => ({ version: '0.1.0', contract: 'Dex', runtime_code: '0x00' }),
  },
  'delete-release-code': { about: 'product' },
  'publish-bundle': {
    about: 'contents',
    needsOther: true,
    json: ({ product, other }) => ({
      ...{ title: 'Something of mine', tagline: 'Both', description: 'Two products of mine in one.', price: '1' },
      products: [{ product: Number(product) }, { product: Number(other) }],
    }),
  },
  'set-bundle': { about: 'product', needsBundle: true, json: () => ({ products: null }) },
  'get-lemonsqueezy-adapter': { about: 'product' },
  'set-lemonsqueezy-adapter': { about: 'product', json: () => ({ enabled: false, store_id: 5 }) },
  'get-edd-adapter': { about: 'product' },
  'set-edd-adapter': { about: 'product', json: () => ({ enabled: false, item_id: 5 }) },
  'get-gumroad-adapter': { about: 'product' },
  'set-gumroad-adapter': { about: 'product', json: () => ({ enabled: false, permalink: 'jar' }) },
  'get-slm-adapter': { about: 'product' },
  'set-slm-adapter': { about: 'product', json: () => ({ enabled: false, item_reference: 'jar' }) },
  'list-versions': { about: 'product' },
  'add-version': { about: 'product', form: () => formOf({ product_zip: zip, number: '9.9.9' }) },
  'delete-version': { about: 'product', needsVersions: true },
  'set-thumbnail': { about: 'product', form: () => formOf({ thumbnail: pngOf() }) },
  'download-product': { about: 'product', needsListing: true },
  'unlist-product': { about: 'product' },
  'relist-product': { about: 'product', from: 'unlisted' },
  'resubmit-product': { about: 'product', from: 'rejected' },
  'archive-product': { about: 'product' },
  'approve-product': { about: 'moderated', from: 'pending' },
  'reject-product': { about: 'moderated', from: 'pending', json: () => ({ reason: 'No.' }) },
  'product-usage': { about: 'product' },
  'product-strays': { about: 'product' },
  'list-licenses': { about: 'caller' },
  'issue-licenses': { about: 'product', json: ({ product }) => ({ product }) },
  'import-licenses': { about: 'lines', csv: ({ product }) => `product\n${product}\n` },
  'get-import': { about: 'import', query: '?idempotency_key=mine' },
  'export-licenses': { about: 'caller' },
  'get-license': { about: 'license' },
  'change-license': { about: 'license', json: () => ({ max_domains: 7 }) },
  'suspend-license': { about: 'license', json: nothing },
  'reinstate-license': { about: 'license', json: nothing },
  'revoke-license': { about: 'license', json: nothing },
  'renew-license': { about: 'license', json: () => ({ expires_at: null }) },
  'remove-license-domain': { about: 'license' },
  'move-license-domain': { about: 'license', json: () => ({ to: 'new.example.com' }) },
  'list-license-aliases': { about: 'license' },
  'add-license-alias': { about: 'license', json: ({ license }) => ({ kind: 'other', value: `not ${license}` }) },
  'remove-license-alias': { about: 'license' },
  'rotate-license-key': { about: 'license', json: nothing },
  'set-license-clock': { about: 'testLicense', json: () => ({ advance: 'P30D' }) },
  'change-many-licenses': { about: 'licenses', json: ({ license }) => ({ action: 'revoke', keys: [license] }) },
  'list-license-events': { about: 'license' },
  'explain-license': { about: 'license', query: '?domain=app.example.com' },
  'license-usage': { about: 'license' },
  'license-strays': { about: 'license' },
  'list-orders': { about: 'caller' },
  'get-order': { about: 'order', needsListing: true },
  'refund-order': { about: 'order', needsListing: true, json: nothing },
  'pay-order': { about: 'order', needsListing: true, json: nothing },
  'cancel-order': { about: 'order', needsListing: true, json: nothing },
  'undo-refund': { about: 'order', needsListing: true, json: () => ({ transaction: `0x${'ab'.repeat(32)}` }) },
  'list-payment-claims': { about: 'caller' },
  'get-payment-claim': { about: 'claim', needsListing: true, id: String(exampleClaim) },
  'take-payment-claim': { about: 'claim', needsListing: true, id: String(exampleClaim), json: nothing },
  'reject-payment-claim': {
    about: 'claim',
    needsListing: true,
    id: String(exampleClaim),
    json: () => ({ reason: 'It is another order.' }),
  },
  'list-wallets': { about: 'caller' },
  'list-subscriptions': { about: 'caller' },
  'get-subscription': { about: 'subscription' },
  'cancel-subscription': { about: 'subscription', json: nothing },
  'resume-subscription': { about: 'subscription', json: nothing },
  'list-customers': { about: 'caller' },
  'list-coupons': { about: 'caller' },
  'create-coupon': { about: 'caller', json: () => ({ percent_off: 10 }) },
  'get-coupon': { about: 'coupon' },
  'end-coupon': { about: 'coupon', json: nothing },
  'list-webhooks': { about: 'caller' },
  'create-webhook': { about: 'caller', json: () => ({ url: 'https://hooks.example.com', events: '*' }) },
  'get-webhook': { about: 'webhook' },
  'change-webhook': { about: 'webhook', json: () => ({ description: 'Taken over' }) },
  'remove-webhook': { about: 'webhook' },
  'rotate-webhook-secret': { about: 'webhook' },
  'test-webhook': { about: 'webhook', json: () => ({ event: 'license.issued' }) },
  'list-webhook-deliveries': { about: 'webhook' },
  'get-webhook-delivery': { about: 'webhook' },
  'redeliver-webhook': { about: 'webhook' },
  'list-purchases': { about: 'caller' },
  'fetch-webhook-deliveries': { about: 'webhook', json: () => ({ done: [] }) },
  'replay-webhook': { about: 'webhook', json: () => ({ since: '2026-01-01T00:00:00Z' }) },
};
