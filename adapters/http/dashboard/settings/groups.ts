import type { SettingName } from '../../../../core/site/setting.ts';

/**
 * The settings that are changed together, on one page. Each setting is in one of them. A long text has a page of its own, so
 * that the form is never too large to be sent.
 */
export const groups = {
  appearance: ['site_name', 'description', 'accent', 'footer_links'],
  logo: ['logo'],
  terms: ['terms'],
  privacy: ['privacy'],
  imprint: ['imprint'],
  refunds: ['refunds'],
  people: ['sign_up', 'selling'],
  payments: [
    'take_transfers',
    'payment_instructions',
    'take_stripe',
    'stripe_key',
    'stripe_webhook_secret',
    'take_play_money',
  ],
  mail: ['mail_from', 'mail_server'],
  plans: ['plan_pro', 'plan_enterprise'],
  launch: ['backups', 'checklist'],
} as const satisfies Record<string, readonly SettingName[]>;
export type GroupName = keyof typeof groups;
