import type { VNode } from 'preact';
import { z } from 'zod';
import { may } from '../../../../core/accounts/role.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import {
  isPlatformVersion,
  largestForeignId,
  longestForeignName,
} from '../../../../core/marketplace/product-adapters.ts';
import { type ClientSettings, clientSettings, type SettingKind, type SettingValue } from '../../client-settings.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ChoiceField, TextField } from '../../ui/form.tsx';
import { Facts } from '../../ui/list.tsx';
import { act } from '../kit/act.tsx';
import { someOf, wholeOrNothing } from '../kit/fields.ts';
import { actorOf, type DashboardTools } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { textOrNull } from './fields.ts';
import type { ProductTools } from './subject.tsx';
import { termWords } from './term-words.ts';
import { words } from './words.ts';

/** The texts of the pages for sellers about clients of other systems. */
const texts = {
  title: 'Clients of other systems',
  change: (system: string) => `Clients of ${system}`,
  enabled: 'Access',
  isEnabled: (system: string) => `Clients of ${system} may use the licenses of this product`,
  noVersion: 'Enter a version such as 6.5 or 8.1.2.',
  forAdministrators:
    'Only an administrator can switch this on, or change the ids while it is on: with the ids of another store, somebody could issue keys for its software. You can enter the ids, and ask an administrator.',
  refused:
    'Only an administrator can switch this on, or change the ids while it is on. You can save the ids without it.',
} as const;

const foreignName = textOrNull(longestForeignName);
const kinds = {
  id: wholeOrNothing(1, largestForeignId),
  name: foreignName,
  version: foreignName.refine((text) => text === null || isPlatformVersion(text), texts.noVersion),
} as const satisfies Record<SettingKind, z.ZodType<SettingValue | undefined>>;

/** The forms that let clients of other systems use the licenses of a product, or no longer. */
export function adapterActs(
  tools: DashboardTools,
  product: Subject<Product>,
  { setAdapters }: Pick<ProductTools, 'setAdapters'>,
): Endpoint[] {
  return clientSettings.flatMap((settings) => adapterAct(tools, product, setAdapters, settings));
}

function adapterAct(
  tools: DashboardTools,
  product: Subject<Product>,
  setAdapters: ProductTools['setAdapters'],
  { system, name, shortName, lead, settings, read, make }: ClientSettings,
): Endpoint[] {
  return act(tools, product, {
    id: `edit-${system}-adapter`,
    name: system,
    fields: z.object({
      enabled: someOf(['yes']),
      ...Object.fromEntries(settings.map(({ input, kind }) => [input, kinds[kind]])),
    }),
    edits: ['enabled'],
    initial({ one: { adapters } }) {
      const { isOn, values } = read(adapters);
      const shown = settings.map((one) => [one.input, String(values[one.name] ?? '')]);
      return { enabled: isOn ? ['yes'] : [], ...Object.fromEntries(shown) };
    },
    ask: ({ visit }) => ({
      title: texts.change(shortName),
      lead,
      fields: (
        <>
          <ChoiceField
            name="enabled"
            type="checkbox"
            label={texts.enabled}
            hint={may(actorOf(visit), 'products:moderate') ? undefined : texts.forAdministrators}
            options={[['yes', texts.isEnabled(name)]]}
          />
          {settings.map(({ input, kind, label, hint }) => {
            const digits = kind === 'id' && ({ inputmode: 'numeric' } as const);
            return <TextField key={input} name={input} label={label} hint={hint} {...digits} />;
          })}
        </>
      ),
      submit: words.save,
    }),
    work({ one, visit, fields: { enabled, ...given } }) {
      const typed = new Map<string, SettingValue | undefined>(Object.entries(given));
      const values = Object.fromEntries(settings.map(({ input, name }) => [name, typed.get(input)]));
      return setAdapters(String(one.id), make(enabled.length > 0, values), sellerIn(visit), one.adapters);
    },
    notice: 'product_saved',
    refusals: {
      product_archived: { text: words.archivedAlready },
      ids_in_use: asRefused('enabled'),
      needs_administrator: { field: 'enabled', text: texts.refused },
    },
  });
}

/** Which clients of other systems may use the licenses of a product, with the way to change it. */
export function AdapterFacts({
  product: { adapters, archivedAt },
  address,
}: {
  readonly product: Product;
  readonly address: string;
}): VNode {
  return (
    <section class="panel">
      <h2>{texts.title}</h2>
      <Facts
        facts={clientSettings.map(({ name, system }) => [name, adapters[system].isOn ? termWords.on : termWords.off])}
      />
      {archivedAt === null && (
        <p class="choices">
          {clientSettings.map(({ system, shortName }) => (
            <ButtonLink key={system} href={`${address}/${system}`} text={texts.change(shortName)} look="small" />
          ))}
        </p>
      )}
    </section>
  );
}
