import type { ComponentChildren, VNode } from 'preact';
import { effectOf, isOutside, type Order, orderTable } from '../../../../core/purchases/order.ts';
import { moneyOf } from '../../ui/prices.ts';
import { texts } from '../../ui/texts.ts';
import { pathOf } from './buying-tools.ts';
import { stateName } from './state-tag.tsx';

const { order: words, license: effects, states } = texts.buying;

/** Whether the page is likely to show more soon, so that it looks again by itself. */
export function isAwaited({ state, provider }: Order, isReturning: boolean): boolean {
  return isOutside(provider) && isReturning && (state === 'open' || state === 'processing');
}

/** Shows the state of the order, and what the buyer can do now. */
export function StatePart({
  order,
  root,
  instructions,
  isReturning,
}: {
  readonly order: Order;
  readonly root: string;
  readonly instructions: string | undefined;
  /** Whether the buyer comes from the provider. */
  readonly isReturning: boolean;
}): VNode {
  const { state, provider } = order;
  const isAwaitedNow = isAwaited(order, isReturning);
  const effect = orderTable[state].stage === 'paid' && state !== 'paid' ? effectOf(order) : 'none';
  return (
    <section class={states[state].tone === 'good' ? 'panel marked' : 'panel'} aria-label={stateName(order)}>
      <p>
        {states[state].means} {effects[effect]}
      </p>
      {isAwaitedNow && <p role="status">{words.waits}</p>}
      {state === 'open' && provider === 'manual' && instructions !== undefined && (
        <ManualPayment order={order} instructions={instructions} />
      )}
      {!isAwaitedNow && <Acts order={order} root={root} />}
    </section>
  );
}

function ManualPayment({ order, instructions }: { readonly order: Order; readonly instructions: string }): VNode {
  const { total, currency } = order.payment;
  return (
    <>
      <h2>{words.howToPay}</h2>
      <p>{words.instructions(moneyOf(total, currency), String(order.id))}</p>
      <p class="lines instructions" dir="auto">
        {instructions}
      </p>
    </>
  );
}

/** Links to the next step: to the payment, or to a new order after one that was not paid. */
function Acts({ order, root }: { readonly order: Order; readonly root: string }): ComponentChildren {
  const { state, provider, agreed } = order;
  const address = `${root}${pathOf(order)}`;
  const again = state === 'expired' || state === 'cancelled' || (state === 'failed' && provider !== 'test');
  const links: (readonly [href: string, text: string, style: string] | false)[] = [
    isOutside(provider) && state === 'open' && [`${address}/continue`, words.goOn, 'button primary'],
    provider === 'test' && [
      `${address}/pay`,
      orderTable[state].stage === 'unpaid' ? words.goOnTest : words.testPage,
      orderTable[state].stage === 'unpaid' ? 'button primary' : 'button',
    ],
    again && [`${root}marketplace/${agreed.slug}/buy`, words.again, 'button'],
  ];
  const shown = links.filter((link) => link !== false);
  return (
    shown.length > 0 && (
      <p class="choices">
        {shown.map(([href, text, style]) => (
          <a key={href} class={style} href={href}>
            {text}
          </a>
        ))}
      </p>
    )
  );
}
