import type { VNode } from 'preact';
import { z } from 'zod';
import { may } from '../../../../core/accounts/role.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { largestForeignId } from '../../../../core/marketplace/product-adapters.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ChoiceField, TextField } from '../../ui/form.tsx';
import { Facts } from '../../ui/list.tsx';
import { act } from '../kit/act.tsx';
import { someOf } from '../kit/fields.ts';
import { actorOf, type DashboardTools } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { wholeOrNothing } from './fields.ts';
import type { ProductTools } from './subject.tsx';
import { words } from './words.ts';

/** The texts of the pages for sellers about clients of other systems. */
const names = {
  title: 'Clients of other systems',
  lemonsqueezy: 'Lemon Squeezy',
  change: 'Clients of Lemon Squeezy',
  editTitle: 'Clients of Lemon Squeezy',
  lead: 'Software that checks its license at Lemon Squeezy goes on working here, with the same keys. It only needs the address of this server. Answers have the ids that you enter, because such software compares them.',
  enabled: 'Access',
  isEnabled: 'Clients of Lemon Squeezy may use the licenses of this product',
  store: 'Id of your store at Lemon Squeezy',
  product: 'Id of the product there',
  variant: 'Id of the variant there',
  optional: 'Optional. Digits only.',
  forAdministrators:
    'Only an administrator can switch this on, or change the ids while it is on: with the ids of another store, somebody could issue keys for its software. You can enter the ids, and ask an administrator.',
  refused:
    'Only an administrator can switch this on, or change the ids while it is on. You can save the ids without it.',
} as const;

const foreignId = wholeOrNothing(1, largestForeignId);
const ids = [
  ['store', names.store],
  ['product', names.product],
  ['variant', names.variant],
] as const;
const shownId = (id: number | null) => (id === null ? '' : String(id));

/** The form that lets clients of Lemon Squeezy use the licenses of a product, or no longer. */
export function adapterActs(
  tools: DashboardTools,
  product: Subject<Product>,
  { setAdapters }: Pick<ProductTools, 'setAdapters'>,
): Endpoint[] {
  return act(tools, product, {
    id: 'edit-lemonsqueezy-adapter',
    name: 'lemonsqueezy',
    fields: z.object({ enabled: someOf(['yes']), store: foreignId, product: foreignId, variant: foreignId }),
    initial: ({ one: { adapters } }) => {
      const { isOn, storeId, productId, variantId } = adapters.lemonsqueezy;
      return {
        enabled: isOn ? ['yes'] : [],
        ...{ store: shownId(storeId), product: shownId(productId), variant: shownId(variantId) },
      };
    },
    edits: ['enabled'],
    ask: ({ visit }) => ({
      title: names.editTitle,
      lead: names.lead,
      fields: (
        <>
          <ChoiceField
            name="enabled"
            type="checkbox"
            label={names.enabled}
            hint={may(actorOf(visit), 'products:moderate') ? undefined : names.forAdministrators}
            options={[['yes', names.isEnabled]]}
          />
          {ids.map(([name, label]) => (
            <TextField key={name} name={name} label={label} hint={names.optional} inputmode="numeric" />
          ))}
        </>
      ),
      submit: words.save,
    }),
    work: ({ one, visit, fields: { enabled, store = null, product: id = null, variant = null } }) =>
      setAdapters(
        String(one.id),
        { lemonsqueezy: { isOn: enabled.length > 0, storeId: store, productId: id, variantId: variant } },
        sellerIn(visit),
        one.adapters,
      ),
    notice: 'product_saved',
    refusals: {
      product_archived: { text: words.archivedAlready },
      needs_administrator: { field: 'enabled', text: names.refused },
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
      <h2>{names.title}</h2>
      <Facts facts={[[names.lemonsqueezy, adapters.lemonsqueezy.isOn ? words.on : words.off]]} />
      {archivedAt === null && (
        <p class="choices">
          <ButtonLink href={`${address}/lemonsqueezy`} text={names.change} look="small" />
        </p>
      )}
    </section>
  );
}
