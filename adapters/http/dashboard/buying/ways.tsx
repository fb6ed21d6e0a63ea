import type { VNode } from 'preact';
import type { Actor } from '../../../../core/accounts/role.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { Order, Provider } from '../../../../core/purchases/order.ts';
import { ChoiceField, HiddenField, hinted } from '../../ui/form.tsx';
import { type FormState, textOf } from '../../ui/form-state.ts';
import { priceOf } from '../../ui/prices.ts';
import { actorOf, type SignedInVisit, type Visit } from '../kit/page.ts';
import { pathOf } from './frame.tsx';
import { words } from './words.ts';

const { buy: names } = words;

/** The page on which the buyer goes on with an order of this site. */
export function nextPage(order: Pick<Order, 'provider' | 'token'>): string {
  return order.provider === 'test' ? `${pathOf(order)}/pay` : pathOf(order);
}

/** Who buys. `undefined` for a guest. */
export function visitorOf(visit: Visit): Actor | undefined {
  return visit.me ? actorOf({ ...visit, me: visit.me } satisfies SignedInVisit) : undefined;
}

/** The text of the button says what is paid, if there is only one way to pay. */
export function buttonOf({ price }: Pick<Product, 'price'>, ways: readonly Provider[], state: FormState): string {
  if (price === 0) return names.getFree;
  const chosen = ways.length === 1 ? ways[0] : textOf(state, 'way');
  return chosen === 'manual' && ways.length === 1 ? names.order(priceOf(price)) : names.pay(priceOf(price));
}

/** The ways to pay. With only one, there is nothing to choose. */
export function WayField({ ways }: { readonly ways: readonly Provider[] }): VNode {
  const [only] = ways;
  if (only !== undefined && ways.length === 1) {
    return (
      <>
        <HiddenField name="way" value={only} />
        {names.waysHint[only] !== '' && <p class="hint">{names.waysHint[only]}</p>}
      </>
    );
  }
  return <ChoiceField name="way" type="radio" label={names.way} options={hinted(ways, names.ways, names.waysHint)} />;
}
