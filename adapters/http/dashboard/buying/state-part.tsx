import type { ComponentChildren, VNode } from 'preact';
import { waitsUntil } from '../../../../core/purchases/lapse.ts';
import {
  effectOf,
  isBundle,
  isOutside,
  type Order,
  type OrderState,
  wasPaid,
} from '../../../../core/purchases/order.ts';
import { referenceOf } from '../../../../core/purchases/reference.ts';
import type { UsdcPayment } from '../../../../core/usdc/paying.ts';
import { Facts } from '../../ui/list.tsx';
import { moneyOf } from '../../ui/prices.ts';
import { CopiedText } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { bundleStates } from './bundle-states.ts';
import { pathOf, stateName } from './frame.tsx';
import { nextStepOf } from './next-words.ts';
import { cycleStates, renewStates } from './renew-words.ts';
import { usdcWords } from './usdc-words.ts';
import { words } from './words.ts';

const { order: names, license: effects, states } = words;

/** Whether the page is likely to show more soon, so that it looks again by itself. */
export function isAwaited({ state, provider }: Order, isReturning: boolean): boolean {
  return isOutside(provider) && isReturning && (state === 'open' || state === 'processing');
}

/** Whether somebody has to record that the buyer has paid. */
export function waitsForTransfer({ state, provider }: Order): boolean {
  return state === 'open' && provider === 'manual';
}

/** Whether the buyer can play what a bank does after the payment. */
export function isPaidInPlay({ state, provider, partOf }: Order): boolean {
  return provider === 'test' && partOf === null && wasPaid({ state });
}

type Meanings = Partial<Record<OrderState, string>>;

/** Shows the state of the order, and what the buyer can do now. */
export function StatePart({
  order,
  isTakenBack,
  usdc,
  root,
  instructions,
  isReturning,
  sendsMail,
}: {
  readonly order: Order;
  /** Whether the chain has taken its payment back after the license was issued, or that of a part. */
  readonly isTakenBack: boolean;
  /** How it is paid in USDC, if it is. */
  readonly usdc: UsdcPayment | undefined;
  readonly root: string;
  readonly sendsMail: boolean;
  readonly instructions: string | undefined;
  /** Whether the buyer comes from the provider. */
  readonly isReturning: boolean;
}): VNode {
  const { state } = order;
  const isAwaitedNow = isAwaited(order, isReturning);
  const isByHand = waitsForTransfer(order);
  // The licenses of a bundle can do different things. Each of its products says it.
  const hasEffect = ((wasPaid(order) && state !== 'paid') || isTakenBack) && !isBundle(order);
  const effect = hasEffect ? effectOf(order) : 'none';
  const isRenewal = order.renews !== null;
  const own = order.cycleOf === null ? renewStates : { ...renewStates, ...cycleStates };
  const { open, processing, paid } = own;
  const meanings: Meanings = isRenewal ? { open, processing, paid } : isBundle(order) ? bundleStates : {};
  const isInChain = order.provider === 'usdc' && state === 'processing';
  const back = isBundle(order) ? usdcWords.bundleTakenBack : usdcWords.takenBack;
  const inChain = isTakenBack ? back : isInChain ? usdcWords.seenLead : usdcMeaning(state, usdc);
  const means = inChain ?? meanings[state] ?? states[state].means;
  const isWaiting = isRenewal ? own : isBundle(order) ? bundleStates : names;
  const { next, mail } = nextStepOf(order);
  const consequence = isRenewal && effect !== 'none' ? renewStates[effect] : effects[effect];
  return (
    // Only the message about what was just done has a color, so that there is one at a time.
    <section class={states[state].tone === 'good' ? undefined : 'panel'} aria-label={stateName(order)}>
      {isByHand && <ManualPayment order={order} instructions={instructions} />}
      <p>
        {isByHand ? isWaiting.waitsForTransfer : means} {consequence}
      </p>
      {isAwaitedNow && <p role="status">{isWaiting.waits}</p>}
      {(next !== '' || mail !== undefined) && !isAwaitedNow && (
        <p>
          {next} {sendsMail && mail !== undefined && names.mailed(order.buyer.email, mail)}
        </p>
      )}
      {state === 'open' && order.provider !== 'free' && !isAwaitedNow && !usdc?.quotes.length && (
        <p>
          {names.payUntil} <Time at={waitsUntil(order)} />.{' '}
          {isByHand && <a href={`${root}${pathOf(order)}`}>{names.reload}</a>}
        </p>
      )}
      {!isAwaitedNow && order.partOf === null && <Acts order={order} root={root} />}
    </section>
  );
}

/** Returns what a state means only for orders that are paid in USDC. */
function usdcMeaning(state: OrderState, usdc: UsdcPayment | undefined): string | undefined {
  if (usdc === undefined) return undefined;
  if (state === 'refunded') return usdcWords.refunded;
  return state === 'expired' && usdc.transfers.length > 0 ? usdcWords.expiredShort : undefined;
}

/** What the buyer needs for a transfer, before all else that the page says. */
function ManualPayment({
  order,
  instructions,
}: {
  readonly order: Order;
  readonly instructions: string | undefined;
}): VNode {
  const { total, currency } = order.payment;
  return (
    <>
      <h2>{names.howToPay}</h2>
      <Facts
        facts={[
          [names.amount, <strong key="amount">{moneyOf(total, currency)}</strong>],
          [names.write, <CopiedText key="reference" id="reference" text={referenceOf(order)} />],
          instructions !== undefined && [
            names.payTo,
            <span key="to" class="lines" dir="auto">
              {instructions}
            </span>,
          ],
        ]}
      />
    </>
  );
}

/** Links to the next step: to the payment, or to a new order after one that was not paid. */
function Acts({ order, root }: { readonly order: Order; readonly root: string }): ComponentChildren {
  const { state, provider, agreed } = order;
  const address = `${root}${pathOf(order)}`;
  const links: (readonly [href: string, text: string, style: string] | false)[] = [
    isOutside(provider) && state === 'open' && [`${address}/continue`, names.goOn, 'button primary'],
    provider === 'test' && !isPaidInPlay(order) && [`${address}/pay`, names.goOnTest, 'button primary'],
    nextStepOf(order).again === true &&
      order.renews === null && [`${root}marketplace/${agreed.slug}/buy`, names.again, 'button primary'],
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
