import type { Tier } from '../../../core/accounts/tier.ts';
import type { SiteText } from '../../../core/site/setting.ts';
import type { AreaNames } from './area-page.tsx';
import { countOf } from './numbers.ts';

/* The words that parts of pages share. */

/** The names of the plans. */
export const planNames = { free: 'Free', pro: 'Pro', enterprise: 'Enterprise' } as const satisfies Record<Tier, string>;

export const frameWords = {
  lead: 'dApps, smart contracts and templates, each with its own license.',
  skip: 'Skip to the content',
  help: 'Help for buyers',
  developers: 'For developers',
  navigation: {
    label: 'Main',
    menu: 'Menu',
    find: 'Go to a page',
    findKeys: 'Go to a page (Ctrl K)',
    notFound: 'No page has this name.',
    products: 'Marketplace',
    guides: 'Guides',
    reference: 'API reference',
    selling: 'Selling',
    account: 'Account',
    admin: 'Admin',
    signIn: 'Sign in',
    notifications: (unread: number) =>
      unread === 0
        ? 'Notifications'
        : unread === 1
          ? '1 unread notification'
          : `${countOf(unread)} unread notifications`,
  },
  account: {
    opener: (name: string) => `Account of ${name}`,
    purchases: 'Your purchases',
    security: 'Your sign-in',
    signOut: 'Sign out',
  },
  footer: 'About this site',
  texts: {
    terms: 'Terms of service',
    privacy: 'Privacy',
    imprint: 'Imprint',
    refunds: 'Refund policy',
  } satisfies Record<SiteText, string>,
  breadcrumbs: 'You are here',
  newest: 'See the newest products',
} as const;

const names = {
  account: {
    label: 'Account',
    pages: {
      plan: 'Plan & API',
      purchases: 'Purchases',
      deployments: 'Deployments',
      security: 'Sign-in & security',
      notifications: 'Notifications',
    },
  },
  selling: {
    label: 'Selling',
    pages: {
      overview: 'Overview',
      products: 'Products',
      licenses: 'Licenses',
      deployments: 'Deployments',
      orders: 'Orders',
      coupons: 'Coupons',
      webhooks: 'Webhooks',
    },
  },
  admin: {
    label: 'Administration',
    pages: {
      users: 'Users',
      moderation: 'Moderation',
      products: 'Products',
      licenses: 'Licenses',
      deployments: 'Deployments',
      orders: 'Orders',
      audit: 'Audit trail',
      mails: 'Mails',
      settings: 'Settings',
      system: 'System',
    },
  },
} as const satisfies AreaNames;

/** The words of a sandbox that several pages have. */
export const sandboxWords = {
  open: 'Open a sandbox',
  sandbox: 'Sandbox',
  deleted: 'deleted on',
  off: 'What is off',
  testOnly: 'An account of the sandbox has test data only.',
} as const;

/** The words of the areas of the dashboard. */
export const areaWords = {
  ...names,
  modes: { label: 'Mode', live: 'Live', test: 'Test' },
  waiting: {
    orders: (count: number) => `${countOf(count)} waiting`,
    products: (count: number) => `${countOf(count)} to review`,
  },
  reminder: 'Protect your administrator account with two-factor authentication.',
  toSecondFactor: 'Set it up',
} as const;

export const formWords = {
  currency: 'Currency',
  change: 'Change',
  tooLong: (max: number) => `Use at most ${max} characters.`,
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  meanwhile: {
    message:
      'This was changed while you had the form open, perhaps in another tab. Nothing is saved yet. Check the marked fields, then send the form again.',
    changed: 'Changed meanwhile.',
    changedTo: (text: string) => `Changed meanwhile. It is now “${text}”.`,
    emptied: 'Changed meanwhile. It is now empty.',
    keptTyped: 'Below is what you typed.',
  },
  ofOther: 'Somebody else was signed in when this form was opened. Open the page again, so that it is yours.',
  sendAgain: 'Part of the form was missing. Send it again.',
  faults: (count: number) => (count === 1 ? 'Please correct one field:' : `Please correct ${count} fields:`),
  tooLarge: (file: string, limit: string) => `${file}: the file may have at most ${limit}.`,
  atMost: (hint: string, limit: string) => `${hint} At most ${limit}.`,
  chooseSmaller: 'Go back and choose a smaller file.',
  uploading: 'Uploading',
  uploadFailed: 'The connection was lost before everything was sent. Try again.',
  password: 'Your password',
  passwordHint: 'To protect your account, we ask for it again after 15 minutes.',
  passwordAgain: 'Enter your password again.',
  passwordWrong: 'Incorrect password.',
  tooMany: (minutes: number) => `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
} as const;

export const failureWords = {
  noRight: 'You do not have permission to do this.',
  notDone: 'That did not work',
  titles: {
    400: 'The request could not be read',
    403: 'Not allowed',
    404: 'Not found',
    405: 'Not possible here',
    408: 'The request took too long',
    413: 'The request is too large',
    415: 'The request could not be read',
    429: 'Too many requests',
    500: 'Something went wrong',
    503: 'Temporarily unavailable',
  },
} as const;

export const listWords = {
  find: 'Find',
  filters: 'Filters',
  clear: 'Show all',
  pages: 'Pages of the list',
  first: 'First page',
  more: 'More',
  exportCsv: 'Export CSV',
  actsOn: (row: string) => `What to do with ${row}`,
  none: 'Nothing found',
  /** The option of a filter that filters nothing. */
  all: 'All',
  /** Instead of a time that never was. */
  never: 'Never',
  noneAdvice: 'Try other words, or show everything.',
} as const;

export const plotWords = {
  table: (title: string) => `Table: ${title}`,
  values: 'Values as a table',
  nothing: 'Nothing in this time yet.',
  times: { hour: 'Hour', day: 'Day (UTC)' },
} as const;
