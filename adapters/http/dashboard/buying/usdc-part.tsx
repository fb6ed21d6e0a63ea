import type { ComponentChildren, VNode } from 'preact';
import { type Order, wasPaid } from '../../../../core/purchases/order.ts';
import { isClaimable } from '../../../../core/usdc/claim.ts';
import type { UsdcPayment } from '../../../../core/usdc/paying.ts';
import { lateFor } from '../../../../core/usdc/usdc-quote.ts';
import { chainName } from '../../../../core/usdc/wallets.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonForm } from '../../ui/form.tsx';
import { readableUsdc } from '../../ui/prices.ts';
import { Time } from '../../ui/time.tsx';
import { goTo } from '../kit/answer.ts';
import { click } from '../kit/form.ts';
import type { DashboardTools } from '../kit/page.ts';
import { ClaimTable } from '../wallets/claims.tsx';
import { TransferList } from '../wallets/transfers.tsx';
import { words as walletWords } from '../wallets/words.ts';
import { type BuyingTools, orderIn, pathOf } from './frame.tsx';
import { type AskedTransaction, AskPart, isFailed } from './usdc-ask.tsx';
import { claimPage } from './usdc-claim.tsx';
import { SendPart } from './usdc-send.tsx';
import { usdcWords as words } from './usdc-words.ts';

/** Whether the page is likely to show a payment in USDC soon. */
export function waitsForUsdc({ state, provider, partOf }: Order): boolean {
  return provider === 'usdc' && partOf === null && (state === 'open' || state === 'processing' || state === 'soft');
}

/** Whether money has come for an order that is over, but too little: then this part says what the state would say wrongly. */
export function isShort({ state }: Order, { transfers, isTaken }: UsdcPayment): boolean {
  return state === 'expired' && transfers.length > 0 && isTaken;
}

/** Whether the part only proves the payment, so that what was bought comes before it. */
export function isReceipt({ state }: Order, { surplus, sentBack }: UsdcPayment): boolean {
  return (state === 'paid' || state === 'soft') && surplus === 0 && sentBack.length === 0;
}

/** The button that chooses the chain, and the page on which a buyer claims a payment. */
export function usdcPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  return [
    click(tools, {
      id: 'order-usdc-chain',
      path: '/orders/:token/usdc/:chain',
      audience: 'anybody',
      async act(visit) {
        const order = await orderIn(own, visit);
        const refused = await own.usdc.choose(order, Number(visit.params.chain));
        return refused ?? goTo(pathOf(order));
      },
      refusals: {
        chain_not_offered: words.notOffered,
        not_awaited: words.notAwaited,
        all_taken: words.allTaken,
      },
    }),
    ...claimPage(tools, own),
  ];
}

/** Tells how to pay in USDC, and what has arrived. What is too little is said first: it is why there is more to send. */
export function UsdcPart({
  order,
  usdc,
  root,
  asked,
}: {
  readonly order: Order;
  readonly usdc: UsdcPayment;
  readonly root: string;
  readonly asked: AskedTransaction;
}): VNode | null {
  const { quotes, choices, transfers, claims, isTaken, isPaused } = usdc;
  const { state } = order;
  const isOver = wasPaid(order) || state === 'soft';
  const isPayable = !isPaused && (state === 'open' || isShort(order, usdc));
  const address = `${root}${pathOf(order)}`;
  const until = quotes[0] && <Time at={quotes[0].endsAt + lateFor} />;
  // As long as the whole payment is on its way, there is nothing to look for.
  const isAsked = isClaimable(order) && quotes.length > 0 && (state !== 'processing' || asked.typed !== '');
  return (
    <>
      {isPaused && !isOver && (
        <p role="status" class="note">
          {words.paused}
        </p>
      )}
      {transfers.length > 0 && <ReceivedPart usdc={usdc} isOver={isOver} until={until} />}
      {isPayable && quotes.length > 0 && (
        <SendPart quotes={quotes} address={address} arrived={transfers.length} isFailed={isFailed(asked)} />
      )}
      {claims.length > 0 && (
        <section class="panel">
          <h2>{words.claim.list}</h2>
          <ClaimTable claims={claims} />
        </section>
      )}
      {isAsked && (
        <AskPart address={address} asked={asked}>
          {state === 'expired' && transfers.length === 0 && isTaken && (
            <p>
              {words.late} {until}.
            </p>
          )}
        </AskPart>
      )}
      {state === 'open' && choices.length > 0 && (
        <section class="panel" aria-label={words.choose}>
          <h2>{quotes.length === 0 ? words.choose : words.another}</h2>
          <p>{words.chooseLead}</p>
          <div class="choices">
            {choices.map((id) => (
              <ButtonForm key={id} action={`${address}/usdc/${id}`} label={words.show(chainName(id))} look="" />
            ))}
          </div>
        </section>
      )}
      {state === 'open' && !isPaused && choices.length === 0 && quotes.length === 0 && <p>{words.nowhere}</p>}
    </>
  );
}

function ReceivedPart({
  usdc,
  isOver,
  until,
}: {
  readonly usdc: UsdcPayment;
  readonly isOver: boolean;
  readonly until: ComponentChildren;
}): VNode {
  const { quotes, sentBack, rest, surplus, isTaken, isPaused } = usdc;
  // Each chain has an amount of its own: only its own digits say there which order it pays.
  const [only, ...others] = quotes;
  const due = others.length === 0 ? only?.due : undefined;
  return (
    <section class="panel">
      <h2>{walletWords.transfers.title}</h2>
      <TransferList
        usdc={usdc}
        between={
          <>
            {!isOver && rest > 0 && isTaken && !isPaused && (
              <p role="status">
                {due === undefined ? words.shortOfSome : words.short(readableUsdc(due))} {words.shortUntil} {until}.{' '}
                {words.shortElse}
              </p>
            )}
            {!isOver && rest > 0 && !isTaken && sentBack.length === 0 && <p role="status">{words.tooLate}</p>}
            {surplus > 0 && <p>{words.surplus(readableUsdc(surplus))}</p>}
          </>
        }
      />
    </section>
  );
}
