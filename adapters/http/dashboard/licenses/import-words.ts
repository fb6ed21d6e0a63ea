import type { ExportingSystem } from '../../../../core/licensing/alias.ts';
import { mostMapped } from '../../../../core/selling/foreign-export.ts';
import { mostFaults } from '../../../../core/selling/sheet-report.ts';
import type { NoticeName } from '../../ui/notices.ts';
import { counted, readableNumber } from '../../ui/numbers.ts';

const licenses = (count: number) => counted(count, 'license');

/** The texts of the pages that import licenses from a file. */
export const words = {
  name: 'Import licenses',
  title: 'Import licenses',
  lead: 'Bring licenses from another system or a spreadsheet, with their keys, holders and domains. If one line has a fault, nothing is imported.',
  file: 'File',
  fileHint: (most: string) =>
    `Text in UTF-8: CSV with commas between the cells, or answers of an API as JSON. At most ${most}.`,
  submit: 'Import',
  checkOnly: 'Check only',
  checking: 'The file has arrived and is being checked.',
  from: 'The file comes from',
  fromHint: 'Choose the system whose export it is. Its keys go on working.',
  ownForm: 'A spreadsheet or an export of this service',
  systems: {
    lemonsqueezy: 'Lemon Squeezy (answers of its API)',
    edd: 'EDD Software Licensing (CSV)',
    gumroad: 'Gumroad (CSV of sales)',
    freemius: 'Freemius (answers of its API)',
    keygen: 'Keygen (answers of its API)',
    woocommerce: 'License Manager for WooCommerce (CSV)',
  } satisfies Record<ExportingSystem, string>,
  product: 'Product',
  productHint: 'Only for exports of other systems: all licenses of the file become those of this product.',
  chooseProduct: 'As the file says',
  noProduct: 'Choose the product of these licenses.',
  productWithoutSystem: 'Choose where the file comes from too. In other files, each line names its product.',
  theirProductWithoutSystem: 'Choose where the file comes from too.',
  theirProduct: 'Only lines of this product there',
  theirProductHint: 'Only for exports with several products: its id or name as the export has it.',
  map: 'Several products',
  mapHint:
    'Instead of one product: on each line a product there, =, and a product here, such as 123=simple-dex. “Check only” names the products of the file.',
  wrongMap: `Write on each line a product there, =, and a product here. Each product there once, and at most ${mostMapped} of them.`,
  productAndMap: 'Name either one product or several.',
  plan: {
    title: (count: number) => `An import would add ${licenses(count)}`,
    lead: 'Nothing was changed. If all is right, choose “Import”, and the file again if the form does not name it.',
    faulty: (count: number) =>
      `Nothing was changed. The file has ${count === 1 ? 'a fault' : `${readableNumber(count)} faults`}, so an import would add nothing. Correct the file first.`,
    others: (count: number) =>
      `These are the first ${readableNumber(mostFaults)}. There are ${readableNumber(count)} more.`,
    product: 'Product',
    status: 'Status',
    domains: 'Domains',
    expires: 'Expires',
    never: 'Never',
    passedOver: 'Lines that are passed over',
    reason: 'Reason',
    unmapped: 'Products there without a product here',
    theirProduct: 'Product there',
    rows: 'Lines',
    moreUnmapped: (count: number) => `${counted(count, 'line')} of further products.`,
  },
  arrived: 'The file has arrived and is being imported. You may leave this page: the import goes on.',

  noFile: 'Choose a file.',
  tooLarge: (most: string) => `The file is larger than ${most}. Split it, and import one part after the other.`,
  ownRuns: 'A file of yours is being imported. Wait until it has finished: then its licenses are in the list.',
  otherRuns: 'Another import is running on this site. Try again in some minutes.',
  checksRun: 'Other files are being checked on this site. Try again in some minutes.',
  sentBefore: 'import_sent_before' satisfies NoticeName,

  faulty: (count: number) =>
    count === 1
      ? 'Nothing was imported, because the file has a fault. Correct it, then choose the file again.'
      : `Nothing was imported, because the file has ${readableNumber(count)} faults. Correct them, then choose the file again.`,
  faults: 'Faults of the file',
  lines: { line: 'Line', license: 'License' },
  fault: 'Fault',
  others: (count: number) =>
    `These are the first ${readableNumber(mostFaults)}. The file has ${readableNumber(count)} more.`,

  format: 'What the file looks like',
  formatLead: 'The first line names the columns, in any order. Files of “Export CSV” can be imported again.',
  example: 'Example',
  template: 'Download a template',
  templateName: 'licenses-template.csv',
  column: 'Column',
  content: 'What it contains',
  required: 'Required',
  columns: {
    product: ['The slug or id of your product.'],
    key: [
      'The license key, such as LIC-7H2K-9QWX-M4TB-C0VJ. A key of another system leads to the license too, which gets a new key.',
      'If empty: a new key',
    ],
    alias: ['A key of another system that leads to the license too, with 8 to 128 characters.'],
    alias_kind: [
      'The system of this key: lemonsqueezy, edd, gumroad, freemius, keygen, woocommerce, slm or other. It decides whether case and blanks count.',
      'If empty: other',
    ],
    max_domains: ['On how many domains the license works.', 'If empty: 1'],
    expires_at: ['A day such as 2030-01-31, a date and time in UTC, or never.', 'If empty: never'],
    days_from_activation: ['The days from the first activation to the expiry, for licenses without domains.'],
    updates_until: ['Until when the license gets new releases: as expires_at.', 'If empty: never, so all releases'],
    entitlements: ['Codes whose meaning is up to your software, with blanks between them, such as pro team.'],
    status: ['active, suspended, revoked, or expired with an expires_at in the past.', 'If empty: active'],
    holder_email: ['The e-mail address of the customer. Nothing is sent to it.'],
    holder_name: ['The name of the customer.'],
    reference: ['Your own name for the license, such as an order number.'],
    metadata: ['A JSON object of texts, such as {"plan":"gold"}.'],
    domains: [
      'The domains that already use the license, with blanks between them. After each, you can add the time of its activation, such as shop.example.com@2025-06-30T10:00:00Z.',
    ],
  } satisfies Record<string, readonly [content: string, ifEmpty?: string]>,

  done: {
    title: (count: number) => `${licenses(count)} imported`,
    lead: 'They work at once. Lines without a key got a new one: the list shows it, and so does an export.',
    leftOut: (count: number) =>
      `${licenses(count)} ${count === 1 ? 'was' : 'were'} left out, because the key or the product was changed during the import.`,
    passedOver: (count: number) =>
      `${counted(count, 'line')} of the file ${count === 1 ? 'was' : 'were'} passed over. “Check only” says why.`,
    toList: 'See the licenses',
    more: 'Import another file',
  },
} as const;
