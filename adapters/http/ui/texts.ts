import { admin } from './texts/admin.ts';
import { areas } from './texts/areas.ts';
import { buying } from './texts/buying.ts';
import { device } from './texts/device.ts';
import { failure, form } from './texts/form.ts';
import { list } from './texts/list.ts';
import { marketplace } from './texts/marketplace.ts';
import { moderation } from './texts/moderation.ts';
import { notifications } from './texts/notifications.ts';
import { plan } from './texts/plan.ts';
import { product } from './texts/product.ts';
import { security } from './texts/security.ts';
import { sellingImport } from './texts/selling-import.ts';
import { sellingLicenses } from './texts/selling-licenses.ts';
import { sellingOrders } from './texts/selling-orders.ts';
import { sellingOverview } from './texts/selling-overview.ts';
import { sellingProducts } from './texts/selling-products.ts';
import { sellingWebhooks } from './texts/selling-webhooks.ts';
import { signIn } from './texts/sign-in.ts';

/** The texts of all pages, in English. Text that belongs to one product or guide is not here. */
export const texts = {
  skip: 'Skip to the content',
  navigation: {
    label: 'Main',
    products: 'Products',
    guides: 'Guides',
    reference: 'API reference',
    selling: 'Selling',
    account: 'Account',
    admin: 'Admin',
    signIn: 'Sign in',
    notifications: (unread: number) =>
      unread === 0 ? 'Notifications' : unread === 1 ? '1 unread notification' : `${unread} unread notifications`,
  },
  admin,
  areas,
  buying,
  device,
  form,
  failure,
  list,
  marketplace,
  moderation,
  notifications,
  sellingProducts,
  plan,
  sellingImport,
  sellingLicenses,
  sellingOrders,
  sellingOverview,
  sellingWebhooks,
  signIn,
  security,
  breadcrumbs: 'You are here',
  products: {
    title: 'Products',
    lead: 'dApps, smart contracts and templates, each with its own license.',
    free: 'Free',
    pages: 'Pages of products',
    newer: 'Newer products',
    older: 'Older products',
    none: 'No products yet',
    whenThere:
      'Sellers publish products with an API key. An administrator approves them. Then they appear on this page.',
    howToPublish: 'How to publish a product',
    howToApprove: 'How to approve it',
    noneHere: 'No older products',
    newest: 'See the newest products',
  },
  developers: {
    title: 'For developers',
    guides: 'Guides',
    aboutGuides: 'Check licenses on your site, sell products, and run a server',
    reference: 'API reference',
    aboutReference: 'All fields and status codes, with a curl command for each call',
    document: 'OpenAPI document',
    aboutDocument: 'The same as JSON, for programs',
  },
  product,
  graph: {
    table: (title: string) => `Table: ${title}`,
    values: 'Values as a table',
    times: { hour: 'Hour', day: 'Day (UTC)' },
  },
  notFound: {
    title: 'Not found',
    page: 'There is no page at this address.',
    product: 'There is no product at this address.',
    guide: 'There is no page at this address. See the list of guides.',
  },
  previewEnded: {
    title: 'This preview has ended',
    advice: (days: number) => `Links to previews are good for ${days} days. Ask the seller for a new one.`,
  },
  guides: { label: 'Guides', jump: 'All guides', navigation: 'Guides', referenceTitle: 'Reference' },
  reference: {
    lead: 'Every call, event and field of this service. For programs, it is a document in OpenAPI 3.1:',
    guides: 'Where to start:',
    navigation: 'API reference',
    authentication: 'Authentication',
    parameters: 'Parameters',
    body: 'Request',
    call: 'Example',
    answer: 'Answer',
    failures: 'Failures',
    events: 'Events',
    aboutEvents:
      'The service sends these events to the webhooks of an account, as a POST in JSON with these headers. Any status from 200 to 299 within 30 seconds means that the event has arrived. Otherwise it is sent again later, with the same `webhook-id`.',
    headers: 'Response headers',
    schemas: 'Schemas',
    optional: 'optional',
    limits: 'Allowed:',
    fallback: 'Default:',
  },
} as const;
