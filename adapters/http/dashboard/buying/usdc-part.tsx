import type { ComponentChildren, VNode } from 'preact';
import { type Order, wasPaid } from '../../../../core/purchases/order.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import { isClaimable } from '../../../../core/usdc/claim.ts';
import type { FoundTransaction } from '../../../../core/usdc/found-transaction.ts';
import type { ShownQuote, UsdcPayment } from '../../../../core/usdc/paying.ts';
import { formatUsdc, lateFor } from '../../../../core/usdc/usdc-quote.ts';
import { chainName } from '../../../../core/usdc/wallets.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ButtonForm } from '../../ui/form.tsx';
import { Facts } from '../../ui/list.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { CopiedText } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { goTo } from '../kit/answer.ts';
import { click } from '../kit/form.ts';
import type { DashboardTools } from '../kit/page.ts';
import { ClaimTable } from '../wallets/claims.tsx';
import { TransferList } from '../wallets/transfers.tsx';
import { words as walletWords } from '../wallets/words.ts';
import { type BuyingTools, orderIn, pathOf } from './frame.tsx';
import { claimPage } from './usdc-claim.tsx';
import { WalletsPart } from './usdc-wallets.tsx';
import { usdcWords as words } from './usdc-words.ts';

/** Whether the page is likely to show a payment in USDC soon. */
export function waitsForUsdc({ state, provider, partOf }: Order): boolean {
  return provider === 'usdc' && partOf === null && (state === 'open' || state === 'processing' || state === 'soft');
}

/** Whether money has come for an order that is over, but too little: then this part says what the state would say wrongly. */
export function isShort({ state }: Order, { transfers, isTaken }: UsdcPayment): boolean {
  return state === 'expired' && transfers.length > 0 && isTaken;
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

/** Tells how to pay in USDC, and what has arrived. */
export function UsdcPart({
  order,
  usdc,
  root,
  typed,
  transaction,
}: {
  readonly order: Order;
  readonly usdc: UsdcPayment;
  readonly root: string;
  /** The transaction that the buyer asks about, and what is known of it. */
  readonly typed: string;
  readonly transaction: FoundTransaction | 'no_chain' | undefined;
}): VNode | null {
  const { quotes, choices, transfers, claims, isTaken, isPaused } = usdc;
  const isOver = wasPaid(order) || order.state === 'soft';
  const isPayable = !isPaused && (order.state === 'open' || isShort(order, usdc));
  const address = `${root}${pathOf(order)}`;
  const until = quotes[0] && <Time at={quotes[0].endsAt + lateFor} />;
  return (
    <>
      {isPaused && !isOver && <p role="status">{words.paused}</p>}
      {isPayable && quotes.length > 0 && (
        <section class="panel" aria-label={words.title}>
          <h2>{words.title}</h2>
          <p>
            {words.lead} {words.fees}
          </p>
          {quotes.map((quote) => (
            <QuotePart
              key={quote.id}
              quote={quote}
              isRest={transfers.length > 0}
              wallets={
                <WalletsPart
                  quote={quote}
                  address={address}
                  isFailed={isFailed(transaction)}
                  arrived={transfers.length}
                />
              }
            />
          ))}
          <p>
            <a href={address}>{words.reload}</a>
          </p>
        </section>
      )}
      {transfers.length > 0 && <ReceivedPart usdc={usdc} isOver={isOver} until={until} />}
      {claims.length > 0 && (
        <section class="panel">
          <h2>{words.claim.list}</h2>
          <ClaimTable claims={claims} />
        </section>
      )}
      {isClaimable(order) && quotes.length > 0 && <AskPart address={address} typed={typed} transaction={transaction} />}
      {order.state === 'expired' && transfers.length === 0 && isTaken && (
        <p>
          {words.late} {until}.
        </p>
      )}
      {order.state === 'open' && choices.length > 0 && (
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
      {order.state === 'open' && !isPaused && choices.length === 0 && quotes.length === 0 && <p>{words.nowhere}</p>}
    </>
  );
}

/** Looks for a transaction. If the chain cannot be asked, the page is shown all the same. */
export async function transactionOf(
  { usdc }: Pick<BuyingTools, 'usdc'>,
  order: Order,
  typed: string,
): Promise<FoundTransaction | 'no_chain' | undefined> {
  if (typed === '' || order.provider !== 'usdc') return undefined;
  try {
    return await usdc.find(order, typed);
  } catch (error) {
    if (error instanceof Unavailable) return 'no_chain';
    throw error;
  }
}

function isFailed(transaction: FoundTransaction | 'no_chain' | undefined): boolean {
  return transaction instanceof Object && transaction.kind === 'failed';
}

/** Asks for the transaction of a payment that the page does not show, and says what it does. */
function AskPart({
  address,
  typed,
  transaction,
}: {
  readonly address: string;
  readonly typed: string;
  readonly transaction: FoundTransaction | 'no_chain' | undefined;
}): VNode {
  const said =
    transaction === undefined || transaction === 'no_chain'
      ? transaction && words.ask.answers.no_chain
      : transaction.kind === 'other'
        ? words.ask.other(formatUsdc(transaction.amount))
        : words.ask.answers[transaction.kind];
  return (
    <section class="panel" id="paid">
      <h2>{words.ask.title}</h2>
      <p class="lead">{words.ask.lead}</p>
      <search>
        <form method="get" action={`${address}#paid`} class="filter">
          <div>
            <label for="tx">{words.ask.label}</label>
            <input type="text" id="tx" name="tx" value={typed} class="code" autocomplete="off" spellcheck={false} />
          </div>
          <button type="submit" class="button">
            {words.ask.submit}
          </button>
        </form>
      </search>
      {said && <p role="status">{said}</p>}
      {transaction instanceof Object && transaction.kind === 'other' && (
        <p>
          <ButtonLink href={`${address}/claim?tx=${encodeURIComponent(typed)}`} text={words.ask.claim} />
        </p>
      )}
    </section>
  );
}

/** What to send on one chain. `isRest`: something has come already. */
function QuotePart({
  quote,
  isRest,
  wallets,
}: {
  readonly quote: ShownQuote;
  readonly isRest: boolean;
  readonly wallets: VNode;
}): VNode {
  const { chain, chainId, payTo, due, endsAt } = quote;
  const uri = `ethereum:${chain.usdc}@${chainId}/transfer?address=${payTo}&uint256=${due}`;
  return (
    <>
      <h3>{words.on(chain.name)}</h3>
      <Facts
        facts={[
          [
            isRest ? words.rest : words.amount,
            <CopiedText key="amount" id={`amount-${chainId}`} text={formatUsdc(due)} />,
          ],
          [words.to, <CopiedText key="to" id={`to-${chainId}`} text={payTo} />],
          [
            words.chain,
            <span key="chain">
              {chain.name} ({words.chainId(chainId)}). {words.only}
            </span>,
          ],
          [words.token, <CopiedText key="token" id={`token-${chainId}`} text={chain.usdc} />],
          [words.until, <Time key="until" at={endsAt} />],
        ]}
      />
      {wallets}
      <QrCode content={uri} label={words.picture(chain.name)} />
      <p>
        {words.scan} <a href={uri}>{words.open}</a>
      </p>
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
                {due === undefined ? words.shortOfSome : words.short(formatUsdc(due))} {words.shortUntil} {until}.{' '}
                {words.shortElse}
              </p>
            )}
            {!isOver && rest > 0 && !isTaken && sentBack.length === 0 && <p role="status">{words.tooLate}</p>}
            {surplus > 0 && <p>{words.surplus(formatUsdc(surplus))}</p>}
          </>
        }
      />
    </section>
  );
}
