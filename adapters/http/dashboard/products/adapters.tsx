import type { VNode } from 'preact';
import { z } from 'zod';
import { may } from '../../../../core/accounts/role.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import {
  isPlatformVersion,
  largestForeignId,
  longestForeignName,
  type ProductAdapters,
  systemsWithClients,
} from '../../../../core/marketplace/product-adapters.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ChoiceField, TextField } from '../../ui/form.tsx';
import { Facts } from '../../ui/list.tsx';
import { act } from '../kit/act.tsx';
import { someOf } from '../kit/fields.ts';
import { actorOf, type DashboardTools, type SignedInVisit } from '../kit/page.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { textOrNull, wholeOrNothing } from './fields.ts';
import type { ProductTools } from './subject.tsx';
import { words } from './words.ts';

/** The texts of the pages for sellers about clients of other systems. */
const names = {
  title: 'Clients of other systems',
  enabled: 'Access',
  store: 'Id of your store at Lemon Squeezy',
  product: 'Id of the product there',
  variant: 'Id of the variant there',
  itemId: 'Id of the download there',
  itemName: 'Its name there',
  itemNameHint: 'Optional. Old software sends the name instead of the id.',
  requires: 'Oldest WordPress with which it works',
  tested: 'Newest WordPress with which you tried it',
  requiresPhp: 'Oldest PHP with which it works',
  versionHint: 'Optional. A version such as 6.5. Sites show it with an update.',
  noVersion: 'Enter a version such as 6.5 or 8.1.2.',
  gumroadId: 'Id of the product there',
  permalink: 'Its permalink there',
  permalinkHint: 'Optional. The last part of its address. Old software sends it instead of the id.',
  secretKey: 'Secret key of your store',
  secretKeyHint: 'The one for activation and deactivation, which your software sends.',
  itemReference: 'Item reference',
  itemReferenceHint: 'Optional. What your software sends as item_reference. With several products, each needs its own.',
  optional: 'Optional. Digits only.',
  forAdministrators:
    'Only an administrator can switch this on, or change the ids while it is on: with the ids of another store, somebody could issue keys for its software. You can enter the ids, and ask an administrator.',
  refused:
    'Only an administrator can switch this on, or change the ids while it is on. You can save the ids without it.',
} as const;

/** What is said of one system. */
const systems = {
  lemonsqueezy: {
    name: 'Lemon Squeezy',
    change: 'Clients of Lemon Squeezy',
    lead: 'Software that checks its license at Lemon Squeezy goes on working here, with the same keys. It only needs the address of this server. Answers have the ids that you enter, because such software compares them.',
    isEnabled: 'Clients of Lemon Squeezy may use the licenses of this product',
  },
  edd: {
    name: 'EDD Software Licensing',
    change: 'Clients of EDD',
    lead: 'WordPress plugins and other software that check their license at a store with EDD Software Licensing go on working here, with the same keys, and get their updates. They only need the address of this server. They must send the id or the name that you enter.',
    isEnabled: 'Clients of EDD Software Licensing may use the licenses of this product',
  },
  gumroad: {
    name: 'Gumroad',
    change: 'Clients of Gumroad',
    lead: 'Software that verifies its license at Gumroad goes on working here, with the same keys. It only needs the address of this server. It must send the id or the permalink that you enter.',
    isEnabled: 'Clients of Gumroad may use the licenses of this product',
  },
  slm: {
    name: 'Software License Manager',
    change: 'Clients of Software License Manager',
    lead: 'Software that checks its license at a site with the plugin Software License Manager goes on working here, with the same keys. It only needs the address of this server. It must send the secret key that you enter.',
    isEnabled: 'Clients of Software License Manager may use the licenses of this product',
  },
} as const satisfies Record<keyof ProductAdapters, object>;

const foreignId = wholeOrNothing(1, largestForeignId);
const foreignName = textOrNull(longestForeignName);
const platformVersion = foreignName.refine((text) => text === null || isPlatformVersion(text), names.noVersion);
const shownId = (id: number | null) => (id === null ? '' : String(id));
const shownAccess = (isOn: boolean) => (isOn ? ['yes'] : []);

function IdField({ name, label }: { readonly name: string; readonly label: string }): VNode {
  return <TextField name={name} label={label} hint={names.optional} inputmode="numeric" />;
}

/** Makes the question of a system's form: who may use the licenses, and the fields with the ids. */
function asking(system: keyof typeof systems, fields: VNode) {
  const { change, lead, isEnabled } = systems[system];
  return ({ visit }: { readonly visit: SignedInVisit }) => ({
    title: change,
    lead,
    fields: (
      <>
        <ChoiceField
          name="enabled"
          type="checkbox"
          label={names.enabled}
          hint={may(actorOf(visit), 'products:moderate') ? undefined : names.forAdministrators}
          options={[['yes', isEnabled]]}
        />
        {fields}
      </>
    ),
    submit: words.save,
  });
}

/** What the forms of all systems have in common. */
const common = {
  edits: ['enabled'],
  notice: 'product_saved',
  refusals: {
    product_archived: { text: words.archivedAlready },
    ids_in_use: asRefused('enabled'),
    needs_administrator: { field: 'enabled', text: names.refused },
  },
} as const;

/** The forms that let clients of other systems use the licenses of a product, or no longer. */
export function adapterActs(
  tools: DashboardTools,
  product: Subject<Product>,
  { setAdapters }: Pick<ProductTools, 'setAdapters'>,
): Endpoint[] {
  return [
    ...act(tools, product, {
      ...common,
      id: 'edit-lemonsqueezy-adapter',
      name: 'lemonsqueezy',
      fields: z.object({ enabled: someOf(['yes']), store: foreignId, product: foreignId, variant: foreignId }),
      initial: ({ one: { adapters } }) => {
        const { isOn, storeId, productId, variantId } = adapters.lemonsqueezy;
        const shown = { store: shownId(storeId), product: shownId(productId), variant: shownId(variantId) };
        return { enabled: shownAccess(isOn), ...shown };
      },
      ask: asking(
        'lemonsqueezy',
        <>
          <IdField name="store" label={names.store} />
          <IdField name="product" label={names.product} />
          <IdField name="variant" label={names.variant} />
        </>,
      ),
      work: ({ one, visit, fields: { enabled, store = null, product: id = null, variant = null } }) =>
        setAdapters(
          String(one.id),
          { lemonsqueezy: { isOn: enabled.length > 0, storeId: store, productId: id, variantId: variant } },
          sellerIn(visit),
          one.adapters,
        ),
    }),
    ...act(tools, product, {
      ...common,
      id: 'edit-edd-adapter',
      name: 'edd',
      fields: z.object({
        ...{ enabled: someOf(['yes']), item: foreignId, name: foreignName },
        ...{ requires: platformVersion, tested: platformVersion, requires_php: platformVersion },
      }),
      initial: ({ one: { adapters } }) => {
        const { isOn, itemId, itemName, plugin } = adapters.edd;
        const { requires, tested, requiresPhp } = plugin;
        const versions = { requires: requires ?? '', tested: tested ?? '', requires_php: requiresPhp ?? '' };
        return { enabled: shownAccess(isOn), item: shownId(itemId), name: itemName ?? '', ...versions };
      },
      ask: asking(
        'edd',
        <>
          <IdField name="item" label={names.itemId} />
          <TextField name="name" label={names.itemName} hint={names.itemNameHint} />
          <TextField name="requires" label={names.requires} hint={names.versionHint} />
          <TextField name="tested" label={names.tested} hint={names.versionHint} />
          <TextField name="requires_php" label={names.requiresPhp} hint={names.versionHint} />
        </>,
      ),
      work({ one, visit, fields: { enabled, item = null, name, requires, tested, requires_php: requiresPhp } }) {
        const plugin = { requires, tested, requiresPhp };
        const edd = { isOn: enabled.length > 0, itemId: item, itemName: name, plugin };
        return setAdapters(String(one.id), { edd }, sellerIn(visit), one.adapters);
      },
    }),
    ...act(tools, product, {
      ...common,
      id: 'edit-gumroad-adapter',
      name: 'gumroad',
      fields: z.object({ enabled: someOf(['yes']), product: foreignName, permalink: foreignName }),
      initial: ({ one: { adapters } }) => {
        const { isOn, productId, permalink } = adapters.gumroad;
        return { enabled: shownAccess(isOn), product: productId ?? '', permalink: permalink ?? '' };
      },
      ask: asking(
        'gumroad',
        <>
          <TextField name="product" label={names.gumroadId} />
          <TextField name="permalink" label={names.permalink} hint={names.permalinkHint} />
        </>,
      ),
      work: ({ one, visit, fields: { enabled, product: productId, permalink } }) =>
        setAdapters(
          String(one.id),
          { gumroad: { isOn: enabled.length > 0, productId, permalink } },
          sellerIn(visit),
          one.adapters,
        ),
    }),
    ...act(tools, product, {
      ...common,
      id: 'edit-slm-adapter',
      name: 'slm',
      fields: z.object({ enabled: someOf(['yes']), secret: foreignName, reference: foreignName }),
      initial: ({ one: { adapters } }) => {
        const { isOn, secretKey, itemReference } = adapters.slm;
        return { enabled: shownAccess(isOn), secret: secretKey ?? '', reference: itemReference ?? '' };
      },
      ask: asking(
        'slm',
        <>
          <TextField name="secret" label={names.secretKey} hint={names.secretKeyHint} />
          <TextField name="reference" label={names.itemReference} hint={names.itemReferenceHint} />
        </>,
      ),
      work: ({ one, visit, fields: { enabled, secret: secretKey, reference: itemReference } }) =>
        setAdapters(
          String(one.id),
          { slm: { isOn: enabled.length > 0, secretKey, itemReference } },
          sellerIn(visit),
          one.adapters,
        ),
    }),
  ];
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
      <h2>{names.title}</h2>
      <Facts
        facts={systemsWithClients.map((kind) => [systems[kind].name, adapters[kind].isOn ? words.on : words.off])}
      />
      {archivedAt === null && (
        <p class="choices">
          {systemsWithClients.map((kind) => (
            <ButtonLink key={kind} href={`${address}/${kind}`} text={systems[kind].change} look="small" />
          ))}
        </p>
      )}
    </section>
  );
}
