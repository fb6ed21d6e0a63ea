import type { AreaNames } from '../area-page.tsx';

const names = {
  account: {
    label: 'Account',
    pages: {
      plan: 'Plan & API',
      purchases: 'Purchases',
      security: 'Sign-in & security',
      notifications: 'Notifications',
    },
  },
  selling: {
    label: 'Selling',
    pages: { overview: 'Overview', products: 'Products', licenses: 'Licenses', orders: 'Orders', webhooks: 'Webhooks' },
  },
  admin: {
    label: 'Administration',
    pages: {
      users: 'Users',
      moderation: 'Moderation',
      products: 'Products',
      licenses: 'Licenses',
      orders: 'Orders',
      audit: 'Audit trail',
      mails: 'Mails',
      system: 'System',
    },
  },
} as const satisfies AreaNames;

export const areas = {
  ...names,
  modes: { label: 'Data', live: 'Live', test: 'Test' },
  held: (count: number) => `${count > 99 ? '99+' : count} held`,
  reminder: 'Protect your administrator account with two-factor authentication.',
  toSecondFactor: 'Set it up',
} as const;
