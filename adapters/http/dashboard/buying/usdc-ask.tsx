import type { ComponentChildren, VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import type { FoundTransaction } from '../../../../core/usdc/found-transaction.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { readableUsdc } from '../../ui/prices.ts';
import type { BuyingTools } from './frame.tsx';
import { usdcWords } from './usdc-words.ts';

const { ask: words } = usdcWords;

/** The transaction that the buyer has entered, with what the chain says about it. */
export interface AskedTransaction {
  readonly typed: string;
  /** `undefined`: none was named. `no_chain`: the chain cannot be asked. */
  readonly found: FoundTransaction | 'no_chain' | undefined;
}

/** Looks for a transaction. If the chain cannot be asked, the page is shown all the same. */
export async function transactionOf(
  { usdc }: Pick<BuyingTools, 'usdc'>,
  order: Order,
  typed: string,
): Promise<AskedTransaction> {
  if (typed === '' || order.provider !== 'usdc') return { typed, found: undefined };
  try {
    return { typed, found: await usdc.find(order, typed) };
  } catch (error) {
    if (error instanceof Unavailable) return { typed, found: 'no_chain' };
    throw error;
  }
}

/** Whether it is in the chain, and has moved nothing. */
export function isFailed({ found }: AskedTransaction): boolean {
  return found instanceof Object && found.kind === 'failed';
}

/** Asks for the transaction of a payment that the page does not show, and says what it does. */
export function AskPart({
  address,
  asked: { typed, found },
  children,
}: {
  /** The address of the page. */
  readonly address: string;
  readonly asked: AskedTransaction;
  /** Text above the form. */
  readonly children?: ComponentChildren;
}): VNode {
  const said =
    found === undefined || found === 'no_chain'
      ? found && words.answers.no_chain
      : found.kind === 'other'
        ? words.other(readableUsdc(found.amount))
        : words.answers[found.kind];
  return (
    <section class="panel" id="paid">
      <h2>{words.title}</h2>
      {children}
      <p class="lead">{words.lead}</p>
      <search>
        <form method="get" action={`${address}#paid`} class="filter">
          <div>
            <label for="tx">{words.label}</label>
            <input type="text" id="tx" name="tx" value={typed} class="code" autocomplete="off" spellcheck={false} />
          </div>
          <button type="submit" class="button">
            {words.submit}
          </button>
        </form>
      </search>
      {said && <p role="status">{said}</p>}
      {found instanceof Object && found.kind === 'other' && (
        <p>
          <ButtonLink href={`${address}/claim?tx=${encodeURIComponent(typed)}`} text={words.claim} />
        </p>
      )}
    </section>
  );
}
