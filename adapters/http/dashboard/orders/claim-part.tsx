import type { ClaimOfOrder } from '../../../../core/ports/usdc-claims.ts';
import { titleOf } from '../../../../core/purchases/order.ts';
import { chainName } from '../../../../core/usdc/wallets.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { Facts, typed } from '../../ui/list.tsx';
import { moneyOf, readableUsdc } from '../../ui/prices.ts';
import { CopiedText } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { PersonText } from '../kit/people.tsx';
import type { SubjectVisit } from '../kit/subject-page.tsx';
import { ClaimTag } from '../wallets/claims.tsx';
import { claimWords as words } from './claim-words.ts';
import { OrderTag, type OrderTools, orderPath } from './subject.tsx';
import { words as orderWords } from './words.ts';

/** The page of a claim: its payment and its order. Its addresses can be copied, because a rejected payment is sent back. */
export async function showClaim(own: OrderTools, { one: { claim, order }, root, address }: SubjectVisit<ClaimOfOrder>) {
  const usdc = await own.usdc.show(order);
  const { facts, order: names } = words;
  const isOpen = claim.state === 'open';
  return {
    scripts: ['copy.js'] as const,
    tags: <ClaimTag state={claim.state} names={words.states} />,
    actions: isOpen && (
      <div class="choices">
        <ButtonLink href={`${address}/take`} text={words.take.name} look="primary" />
        <ButtonLink href={`${address}/reject`} text={words.reject.name} look="danger" />
      </div>
    ),
    children: (
      <>
        <p class="intro">{claim.state === 'open' ? words.lead : words[claim.state]}</p>
        <div class="boards">
          <section class="panel">
            <h2>{facts.title}</h2>
            <Facts
              facts={[
                [facts.amount, readableUsdc(claim.amount)],
                [facts.chain, chainName(claim.chainId)],
                [facts.from, <CopiedText key="from" id="from" text={claim.from} />],
                [facts.to, <CopiedText key="to" id="to" text={claim.to} />],
                [facts.at, <Time key="at" at={claim.sentAt} />],
                [
                  facts.transaction,
                  <ExplorerLink key="tx" chainId={claim.chainId} about="tx" what={claim.txHash} copyId="transaction" />,
                ],
                [facts.claimed, <Time key="claimed" at={claim.createdAt} />],
                claim.decidedAt !== null && [facts.decided, <Time key="decided" at={claim.decidedAt} />],
                claim.reason !== null && [words.reject.reason, typed(claim.reason)],
              ]}
            />
          </section>
          <section class="panel">
            <h2>{names.title}</h2>
            <Facts
              facts={[
                [
                  names.order,
                  <a key="order" href={`${root}${orderPath(order)}`}>
                    {orderWords.nameOf(order.id)}
                  </a>,
                ],
                [names.product, typed(titleOf(order.agreed))],
                [names.buyer, <PersonText key="buyer" person={order.buyer} />],
                [names.state, <OrderTag key="state" order={order} />],
                [names.price, moneyOf(order.payment.total, order.payment.currency)],
                usdc !== undefined && usdc.rest > 0 && [names.missing, readableUsdc(usdc.rest)],
                [names.made, <Time key="made" at={order.createdAt} />],
              ]}
            />
          </section>
        </div>
      </>
    ),
  };
}
