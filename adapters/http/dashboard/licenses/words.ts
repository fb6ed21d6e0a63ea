import type { LicenseStatus, PlainTransition } from '../../../../core/licensing/license.ts';
import type { LicenseOrder } from '../../../../core/ports/license-search.ts';
import type { NoticeName } from '../../ui/notices.ts';
import { counted, readableNumber } from '../../ui/numbers.ts';
import { words as domains, explain } from './domain-words.ts';

const licenses = (count: number) => counted(count, 'license');
const days = (count: number) => counted(count, 'day');

interface ActWords {
  readonly name: string;
  /** The title of the page that asks first. */
  readonly title: string;
  readonly effect: string;
  readonly done: string;
  readonly notice: NoticeName;
}

export const words = {
  issue: 'Issue licenses',
  list: 'Licenses',
  key: 'License',
  status: 'Status',
  statuses: {
    active: 'Active',
    suspended: 'Suspended',
    revoked: 'Revoked',
    expired: 'Expired',
  } satisfies Record<LicenseStatus, string>,
  test: 'Test',
  product: 'Product',
  productSlug: 'Slug of the product',
  holder: 'Holder',
  holderAndReference: 'Holder, reference',
  reference: 'Reference',
  expires: 'Expires',
  owner: 'Seller',
  perpetual: 'Never',
  daysFromActivation: (count: number) => `${days(count)} after the first activation`,
  search: 'Key, domain, holder or reference',
  expiresBefore: 'Expires before',
  sort: 'Sort by',
  sorts: {
    '': 'Newest first',
    oldest: 'Oldest first',
    expires: 'Earliest expiry first',
  } satisfies Record<Exclude<LicenseOrder, 'newest'> | '', string>,
  noneTitle: 'Issue your first license',
  none: 'A license lets a customer use your product on a number of domains. Issue one here or over the API, and see where it is used.',
  noneTest:
    'Test licenses work like live ones. Use them to try out your integration. They are issued for test products: create one here under Products, or publish one with a test API key.',
  noneAtAll: 'No licenses yet',
  noneAtAllAdvice: 'Here you will see the licenses of all sellers.',
  noneFoundAdvice: 'A search finds what begins with your text, and the last four characters of keys.',
  soFar: {
    title: 'Nothing found so far',
    advice: 'There are many licenses, so the search works in steps. Continue with the next step.',
    on: 'Continue',
  },
  toLicense: 'Back to the license',
  notAllowed: 'The status of the license does not allow this.',
  notAllowedNow: (status: string) => `This is not possible, because the license is ${status.toLowerCase()}.`,

  /** While a refund or a dispute stops the license. */
  renewals: 'Renewals and upgrades',
  withheld: {
    suspended:
      'The license is suspended, because its payment is disputed, being refunded, or taken back by its chain. It works again by itself when the payment is complete again.',
    revoked: 'The license is revoked, because its payment was refunded or taken back.',
    toOrder: 'See the order',
    notNow: 'This is not possible while the payment of the license is disputed, refunded or taken back.',
    later:
      'The payment of the license is disputed, refunded or taken back now. What you decide takes effect when the payment is complete again.',
  },
  acts: {
    suspend: {
      name: 'Suspend',
      title: 'Suspend this license?',
      effect:
        'A suspended license is invalid on all domains. It keeps its domains, and you can reinstate it at any time.',
      done: 'suspended',
      notice: 'license_suspended',
    },
    reinstate: {
      name: 'Reinstate',
      title: 'Reinstate this license?',
      effect: 'The license becomes valid again on all of its domains, unless it has expired.',
      done: 'reinstated',
      notice: 'license_reinstated',
    },
    revoke: {
      name: 'Revoke',
      title: 'Revoke this license for good?',
      effect:
        'A revoked license is invalid on all domains from now on. This is final: nobody can undo it. To stop a license for a while, suspend it instead.',
      done: 'revoked',
      notice: 'license_revoked',
    },
  } satisfies Record<PlainTransition, ActWords>,

  bulk: {
    select: 'Select',
    selectOne: (key: string) => `Select ${key}`,
    selectAll: 'Select all on this page',
    selectedNow: 'selected',
    all: (count: number) => `Select all ${licenses(count)}`,
    allThatMatch: 'Select all that match, also on other pages',
    more: (most: number) =>
      `More licenses match. ${readableNumber(most)} can be changed at once. Change these, then come back for the others.`,
    lead: 'With the selected licenses:',
    title: (act: string, count: number) => `${act} ${licenses(count)}?`,
    submit: (act: string, count: number) => `${act} ${licenses(count)}`,
    selected: (count: number) => `The selected licenses (${readableNumber(count)})`,
    noneTitle: 'No licenses selected',
    none: 'Select at least one license.',
    noneAdvice: 'Check the boxes beside the licenses in the list, then choose what to do with them.',
    tooMany: (most: number) => `Select at most ${readableNumber(most)} licenses.`,
    noAction: 'Choose what to do.',
    back: 'Back to the licenses',
    done: (act: string, count: number, all: number) =>
      count === all ? `${licenses(count)} ${act}` : `${readableNumber(count)} of ${licenses(all)} ${act}`,
    notAll: (count: number) =>
      count === 1
        ? 'One license was not changed. The list says why.'
        : `${readableNumber(count)} licenses were not changed. The list says why.`,
    results: 'Results',
    result: 'Result',
    refusals: {
      invalid_key: 'There is no license with this key.',
      transition_not_allowed: 'The status of the license does not allow this.',
      expiry_not_later: 'The new expiry must be later.',
      not_tried: 'The license was not changed. Try again.',
    },
  },

  fields: {
    maxDomains: 'Domains',
    name: 'Name of the holder',
    email: 'E-mail address of the holder',
    emailHint: 'Who the license is for. This address gets a mail only if the key is replaced.',
    reference: 'Reference',
    referenceHint: 'Your own name for it, such as an order number.',
    metadata: 'Metadata',
    metadataHint: 'One entry in each line, such as: plan = gold',
    reason: 'Reason',
    reasonHint: 'Optional. Shown in the history of the license, and never to its holder.',
    wholeNumber: (least: number, most: number) =>
      `Enter a whole number from ${readableNumber(least)} to ${readableNumber(most)}.`,
  },
  metadata: {
    inLine: (line: number, fault: string) => `Line ${line}: ${fault}`,
    noEquals: 'Write an entry as name = text.',
    noName: 'The name is missing.',
    twice: (name: string) => `The name ${name} is used twice.`,
    longName: (most: number) => `A name has at most ${most} characters.`,
    longText: (most: number) => `A text has at most ${most} characters.`,
    notText: 'It contains a character that is not allowed.',
    tooMany: (most: number) => `There can be at most ${most} entries.`,
  },
  rights: {
    updatesUntil: 'Updates until',
    updatesHint: 'The last day (UTC) whose releases the license may fetch. Empty: all releases, for ever.',
    entitlements: 'Entitlements',
    entitlementsHint:
      'Codes that your software asks for, with blanks between them, such as: pro team. Verifications return them.',
    atIssue: {
      updatesHint: 'The last day (UTC) whose releases the license may fetch. Empty: as the offer says, or for ever.',
      entitlementsHint:
        'Codes that your software asks for, with blanks between them, such as: pro team. Empty: as the offer says, or none.',
    },
    noDay: 'Choose a date, or leave it empty.',
    allUpdates: 'All, for ever',
    none: 'None',
  },
  expiry: {
    label: 'Expires',
    choices: {
      product: 'As the product says',
      date: 'On a date that you choose',
      never: 'Never',
    },
    choose: 'Choose when it expires.',
    until: 'Last day',
    untilHint: 'The license works until the end of this day (UTC).',
    noDay: 'Choose a date.',
    past: 'Choose today or a later date.',
  },

  newLicense: {
    title: 'Issue licenses',
    submit: 'Issue',
    count: 'Number of licenses',
    countHint: (most: number) => `1 to ${readableNumber(most)}. All get the same terms, each its own key.`,
    tooManyWithNotes: 'With notes as long as these, this is too many at once. Issue fewer, or shorten the notes.',
    maxDomainsHint: 'On how many domains each license works. Leave it empty for what the product says.',
    productHint: 'Its number, or its name in the address of its page, such as simple-dex.',
    chooseProduct: 'Choose a product',
    offer: 'Offer',
    offerHint: 'Whose terms the licenses get: its name in its link, such as team. Empty: the terms of the product.',
    unknownOffer: 'The product has no such offer.',
    noProduct: 'Choose a product.',
    unknownProduct: 'You have no such product.',
    archivedProduct: 'This product is archived, so no licenses can be issued for it.',
    bundle: 'A bundle has no licenses of its own. Issue them for its products.',
    notes: 'Notes',
    notesLead: 'All optional. Sites and customers never see them. You can search for holder and reference.',
    noProducts: 'You have no products yet',
    noProductsAdvice: 'A license belongs to a product, which also sets its terms. Add a product first.',
    toProducts: 'To your products',
  },
  issued: {
    title: (count: number) => `${licenses(count)} issued`,
    keys: (count: number) => (count === 1 ? 'License key' : 'License keys'),
    download: 'Download as a text file',
    fileName: 'licenses.txt',
    stay: 'Give the keys to your customers. You can see them in the list at any time.',
    toList: 'See all licenses',
    toLicense: 'View this license',
    more: 'Issue more',
    sentTitle: 'This form was already sent',
    sent: 'The licenses were issued the first time. You find them at the top of the list.',
  },

  facts: {
    title: 'License',
    domains: (used: number, most: number) => `${readableNumber(used)} of ${readableNumber(most)} in use`,
    order: 'Order',
    partOf: 'Part of the bundle',
    issued: 'Issued',
    verifications: 'Verifications',
    lastVerified: 'Last verified',
    never: 'Never',
    notes: 'Notes',
    noNotes: 'No holder, no reference and no metadata.',
  },
  edit: {
    name: 'Edit',
    title: 'Edit this license',
    submit: 'Save',
    maxDomainsHint: (used: number) => `On how many domains it works. Now in use: ${readableNumber(used)}.`,
    inUse: 'More domains than that are in use. Remove domains first.',
  },
  renew: {
    name: 'Renew',
    title: 'Renew this license',
    days: (count: number) => `${days(count)} more, as the product says`,
    forEver: 'Never, as the product says',
    notLater: 'Choose a day after the current expiry, and not in the past.',
    perpetual: 'This license never expires, so there is nothing to renew.',
  },

  domains,
  explain,
  history: {
    title: 'History',
    none: 'Nothing has happened yet.',
    noneOlder: 'There are no older changes.',
    at: 'Time',
    change: 'Change',
    actor: 'Who',
    details: 'Details',
    pages: 'Pages of the history',
    newest: 'Newest changes',
    older: 'Older changes',
    you: 'You',
    actors: {
      'license-api': 'A site, by the license API',
      server: 'Latchkey',
      administrator: 'An administrator',
    } as Readonly<Record<string, string>>,
  },
} as const;
