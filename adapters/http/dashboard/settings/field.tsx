import type { VNode } from 'preact';
import { z } from 'zod';
import type { Refused } from '../../../../core/refusal.ts';
import {
  faultIn,
  isSecret,
  type SettingFault,
  type SettingName,
  settingNames,
  tidy,
} from '../../../../core/site/setting.ts';
import type { ShownSetting } from '../../../../core/site/site-settings.ts';
import { AreaField, ChoiceField, PasswordField, TextField } from '../../ui/form.tsx';
import { Facts, typed } from '../../ui/list.tsx';
import { hiddenText } from '../kit/fields.ts';
import type { RefusalMessage } from '../kit/refusal-messages.ts';
import { words } from './words.ts';

/** How each setting is typed. */
const shapes = {
  site_name: 'line',
  description: 'line',
  logo: 'picture',
  accent: 'code',
  footer_links: 'lines',
  terms: 'markdown',
  privacy: 'markdown',
  imprint: 'markdown',
  refunds: 'markdown',
  sign_up: 'choice',
  selling: 'choice',
  take_stripe: 'choice',
  stripe_key: 'secret',
  stripe_webhook_secret: 'secret',
  take_transfers: 'choice',
  payment_instructions: 'lines',
  take_play_money: 'choice',
  plan_pro: 'code',
  plan_enterprise: 'code',
  backups: 'choice',
  checklist: 'choice',
  mail_from: 'line',
  mail_server: 'secret',
} as const satisfies Record<SettingName, 'line' | 'code' | 'lines' | 'markdown' | 'choice' | 'secret' | 'picture'>;

/** The settings whose texts are chosen, and say nothing to people. */
export const choices = settingNames.filter((name) => shapes[name] === 'choice');

/** The field of a setting, or its value if an environment variable sets it. */
export function SettingField({
  name,
  shown,
}: {
  readonly name: SettingName;
  readonly shown: ShownSetting;
}): VNode | null {
  const { label, hint, choices } = words.settings[name];
  if (shown.origin === 'environment') {
    return (
      <div class="field">
        <Facts facts={[[label, isSecret(name) ? words.secretOf(shown.isSet) : typed(shown.text || words.none)]]} />
        <p class="hint">{words.fixed(shown.variable ?? '')}</p>
      </div>
    );
  }
  const field = { name, label, ...(hint !== undefined && { hint }) };
  const shape = shapes[name];
  switch (shape) {
    case 'line':
    case 'code':
      return <TextField {...field} isCode={shape === 'code'} />;
    case 'lines':
      return <AreaField {...field} rows={5} />;
    case 'markdown':
      return <AreaField {...field} rows={12} />;
    case 'secret':
      return (
        <PasswordField
          {...field}
          hint={`${hint} ${shown.isSet ? words.secretSet : words.secretNotSet}`}
          autocomplete="new-password"
        />
      );
    // It has a form of its own.
    case 'picture':
      return null;
    case 'choice':
      return <ChoiceField {...field} type="radio" options={Object.entries(choices ?? {})} />;
  }
}

/** Reads the fields of these settings, and others. Says all that is wrong with them at once. */
export function settingTexts(
  names: readonly SettingName[],
  others: readonly string[] = [],
): z.ZodType<Readonly<Record<string, string>>> {
  const checked = (name: SettingName) =>
    hiddenText.pipe(
      z
        .string()
        .transform(tidy)
        .superRefine((text, context) => {
          // An empty secret stays as it is: nobody can see it to type it again.
          const fault = isSecret(name) && text === '' ? undefined : faultIn(name, text);
          if (fault) context.addIssue({ code: 'custom', message: messageOf(fault) });
        }),
    );
  const fields: Readonly<Record<string, z.ZodType<string>>> = Object.fromEntries([
    ...names.map((name) => [name, checked(name)] as const),
    ...others.map((name) => [name, hiddenText] as const),
  ]);
  return z.object(fields);
}

function messageOf({ reason, figures = {}, detail }: Refused<SettingFault>): string {
  return detail === undefined
    ? words.faults[reason](figures)
    : `${words.mistake(detail)} ${words.faults[reason](figures)}`;
}

/** The faults of one setting only. */
const fieldOf = {
  not_a_mail_server: 'mail_server',
  not_a_stripe_key: 'stripe_key',
  not_a_webhook_secret: 'stripe_webhook_secret',
} as const satisfies Partial<Record<SettingFault, SettingName>>;

/** What only the use case finds, and what `settingTexts` finds, should it be found later. */
export const faultMessages = Object.fromEntries(
  Object.entries(words.faults).map(([reason, text]) => [
    reason,
    {
      ...(reason in fieldOf && { field: fieldOf[reason as keyof typeof fieldOf] }),
      text: ({ figures = {}, detail }: Refused) => (detail === undefined ? text(figures) : words.mistake(detail)),
    },
  ]),
) as unknown as Readonly<Record<SettingFault, RefusalMessage>>;
