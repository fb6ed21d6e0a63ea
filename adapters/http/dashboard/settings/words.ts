import type { SignUpPolicy } from '../../../../core/accounts/sign-up-policy.ts';
import type { SellingPolicy } from '../../../../core/marketplace/selling-policy.ts';
import { leastContrast } from '../../../../core/site/accent.ts';
import { mostFooterLinks } from '../../../../core/site/footer-links.ts';
import type { SettingFault, SettingName, SiteText } from '../../../../core/site/setting.ts';
import { counted, readableNumber } from '../../ui/numbers.ts';
import { frameWords } from '../../ui/words.ts';
import type { GroupName } from './groups.ts';

/** How a setting is called, and what one should know to fill it in. */
export interface SettingWords {
  readonly label: string;
  readonly hint?: string;
  /** The texts that can be chosen, with what they mean. */
  readonly choices?: Readonly<Record<string, string>>;
}

const { texts: names } = frameWords;
const address = (text: SiteText) => `Its page is /${text}, with a link at the end of each page. Empty: no page.`;
const texts = {
  terms: { label: names.terms, hint: address('terms') },
  privacy: { label: names.privacy, hint: address('privacy') },
  imprint: { label: names.imprint, hint: address('imprint') },
  refunds: { label: names.refunds, hint: address('refunds') },
} as const;

const onOff = { yes: 'On', no: 'Off' } as const;

const slugOfPlan =
  'The last part of the address of its page: pro-plan, if that is /marketplace/pro-plan. Empty: the plan is not sold.';

const settings = {
  site_name: { label: 'Name of the site', hint: 'At the top of every page, and in mails.' },
  description: { label: 'Description', hint: 'One sentence on the first page, and for search engines.' },
  logo: {
    label: 'Logo',
    hint: 'A PNG or JPG image, best without a ground. It is shown 28 pixels high at the top of every page, in mails, and as the icon of the pages.',
  },
  accent: {
    label: 'Accent color',
    hint: '# and six digits, such as #1b6b50. Pages in the dark theme use a lighter tone of it. Empty: the color of Latchkey.',
  },
  footer_links: {
    label: 'Links at the end of pages',
    hint: 'One in each line: a title, and then an address that begins with https:// or mailto:.',
  },
  ...texts,
  sign_up: {
    label: 'Who can create an account',
    choices: {
      open: 'Everybody with an e-mail address',
      invite: 'Only people whom an administrator invites',
      closed: 'Nobody. Links of invitations do not work either',
    } satisfies Record<SignUpPolicy, string>,
  },
  selling: {
    label: 'Who can sell',
    hint: 'Products that are there stay, and their owners manage them.',
    choices: {
      everybody: 'Everybody with an account',
      invited: 'Administrators, and people whom they allow to sell on the page of the user',
      administrators: 'Only administrators. Buyers do not see the pages for sellers',
    } satisfies Record<SellingPolicy, string>,
  },
  payment_instructions: {
    label: 'How to pay by bank transfer',
    hint: 'Such as your bank account. Buyers see it with the amount and a reference to write on the transfer. You then record the payment. Empty: they cannot pay by hand.',
  },
  take_transfers: { label: 'Bank transfer', choices: onOff },
  take_stripe: {
    label: 'Stripe',
    choices: onOff,
    hint: 'Cards and all methods that you switch on at Stripe. While it is off, orders that were begun go on.',
  },
  stripe_key: {
    label: 'Key of Stripe',
    hint: 'From "Developers", "API keys": a restricted key, or the secret key. A live key sells live products, a test key those in test mode.',
  },
  stripe_webhook_secret: {
    label: 'Webhook secret of Stripe',
    hint: 'From the webhook endpoint at Stripe. While one secret replaces the other: both, with a comma between them.',
  },
  take_play_money: { label: 'Play money', choices: onOff, hint: 'Pays for products in test mode only.' },
  plan_pro: { label: 'Product that sells Pro', hint: slugOfPlan },
  plan_enterprise: { label: 'Product that sells Enterprise', hint: slugOfPlan },
  backups: {
    label: 'Backups',
    choices: { no: 'Not made yet', yes: 'They are made, and a restore was tried' },
  },
  checklist: {
    label: 'Launch checklist',
    choices: { show: 'Administrators see it first, until it is done', hide: 'Hidden' },
  },
  mail_from: { label: 'Sender of mails', hint: 'An address, or Name <address>.' },
  mail_server: {
    label: 'Mail server',
    hint: 'Such as smtp://user:password@mail.example.com:587, or smtps:// for TLS from the start. In a user or password, write %40 for @ and %3A for a colon. outbox: for none.',
  },
} as const satisfies Record<SettingName, SettingWords>;

const textLead = 'A page for buyers, in Markdown.';

const groups = {
  appearance: { title: 'Appearance', lead: 'What the site is called, and how its pages look.' },
  logo: { title: 'Logo', lead: 'It replaces the sign beside the name of the site.' },
  terms: { title: names.terms, lead: textLead },
  privacy: { title: names.privacy, lead: textLead },
  imprint: { title: names.imprint, lead: textLead },
  refunds: { title: names.refunds, lead: textLead },
  people: { title: 'People', lead: 'Who can create an account, and who can sell.' },
  payments: {
    title: 'Payments',
    lead: 'How buyers pay. A change counts on all pages within 10 seconds.',
  },
  mail: { title: 'Mail', lead: 'The server that sends mails, and their sender.' },
  plans: {
    title: 'Plans',
    lead: 'The products that sell the plans of this site. Whoever has bought one in live mode has its plan while the license is valid, and finds it under Plan & API. Choose only products of your own. If you take a product away here, its buyers lose the plan within a minute.',
  },
  launch: { title: 'Launch', lead: 'What the launch checklist has to be told.' },
} as const satisfies Record<GroupName, { readonly title: string; readonly lead: string }>;

type Figures = Readonly<Record<string, number>>;

const faults = {
  missing: () => 'Enter a name.',
  too_long: ({ max = 0 }) => `Use at most ${readableNumber(max)} characters.`,
  odd_characters: () => 'There is a control character in it. Type it again.',
  not_a_color: () => 'Enter # and six digits, such as #1b6b50.',
  too_light: ({ contrast = 0 }) =>
    `This color is too light to read. Its contrast with white is ${contrast.toFixed(1)}, and it needs ${leastContrast}. Choose a darker one.`,
  not_a_logo: () => 'The image cannot be used. Save it again in a program that edits images.',
  not_a_link: ({ line = 0 }) =>
    `Line ${line} is not a title and then an address, such as Help https://example.com/help.`,
  not_a_mailbox: () => 'Enter one e-mail address, or Name <address>.',
  not_a_mail_server: () => 'Enter an address that begins with smtp:// or smtps://, or outbox: for none.',
  not_a_stripe_key: () => 'Enter a key that begins with sk_live_, rk_live_, sk_test_ or rk_test_.',
  not_a_webhook_secret: () => 'Enter a secret that begins with whsec_. Two have a comma between them.',
  not_a_slug: () => 'Enter a slug: lower-case letters and digits, with single hyphens between them.',
  not_a_choice: () => 'Choose one of the answers.',
  too_many_links: () => `Use at most ${mostFooterLinks} links.`,
} as const satisfies Record<SettingFault, (figures: Figures) => string>;

export const words = {
  invoices: {
    title: 'Details on invoices',
    lead: 'Who sells the products of the site: name, address and tax ID.',
  },
  lead: 'An environment variable of the server wins over what is set here.',
  settings: settings as Readonly<Record<SettingName, SettingWords>>,
  groups,
  faults: faults as Readonly<Record<SettingFault, (figures: Figures) => string>>,
  mistake: (what: string) => `It ${what}.`,
  stripeIncomplete: 'Stripe needs its key and its webhook secret.',
  stripe: {
    title: 'At Stripe',
    lead: 'Add a webhook endpoint with this address, and choose these events. Copy its signing secret into the field below.',
    events: 'Events',
    test: 'Test the key',
    other: {
      title: 'Another account or mode',
      hint: (begun: number) =>
        `With a key of another account or mode, orders of the old key cannot be paid or refunded: they wait until it is back. ${
          begun === 0 ? 'No order' : counted(begun, 'order')
        } ${begun > 1 ? 'wait' : 'waits'} for a payment now. Such a key has another webhook secret, too.`,
      agree: 'The new key is of another account or mode, and orders of the old one may wait',
      ask: 'This key is of another account or mode than the old one, or too old to tell. If that is right, agree here, and enter the key again. Nothing is changed yet.',
    },
    noKey: 'Stripe has no key yet, or no webhook secret.',
    notReached: 'Stripe cannot be reached at the moment. Try again in a minute.',
  },
  logo: {
    upload: 'Use this logo',
    missing: 'Choose a PNG or JPG image.',
    remove: 'Remove the logo',
    noPackage: 'The image is damaged, or the optional package sharp is not installed on the server.',
  },
  senderMissing: 'A mail server needs a sender.',
  secretSet: 'It is set, and never shown. Leave this empty to keep it.',
  secretNotSet: 'It is encrypted in the database, and never shown again.',
  secretOf: (isSet: boolean) => (isSet ? 'Set, and never shown' : 'Not set'),
  test: 'Send a test mail',
  change: 'Change',
  submit: 'Save',
  /** Below a group of which nothing can be changed. */
  back: 'Back to the settings',
  exportAll: 'Export as JSON',
  none: 'Not set',
  longText: (characters: number) => `${readableNumber(characters)} characters`,
  setBy: (variable: string) => `Set by ${variable}`,
  fixed: (variable: string) =>
    `The environment variable ${variable} of the server sets this. Take it away there to change it here.`,
  isFixed: 'An environment variable of the server sets this, so it cannot be changed here.',
} as const;
