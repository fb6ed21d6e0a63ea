import { type SettingName, siteTexts } from '../../../../core/site/setting.ts';

/** The settings that are changed together, on one page. Each setting is in one of them. */
export const groups = {
  appearance: ['site_name', 'description', 'accent', 'footer_links'],
  texts: siteTexts,
  people: ['sign_up', 'selling'],
  payments: ['payment_instructions'],
  mail: ['mail_from', 'mail_server'],
  launch: ['backups', 'checklist'],
} as const satisfies Record<string, readonly SettingName[]>;
export type GroupName = keyof typeof groups;
