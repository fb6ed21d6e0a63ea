import { z } from 'zod';
import type { Order } from '../../../../core/purchases/order.ts';
import type { UsdcPayment } from '../../../../core/usdc/paying.ts';
import { longest } from '../../../../core/usdc/transaction-of.ts';
import { chainName } from '../../../../core/usdc/wallets.ts';
import type { Endpoint } from '../../surface.ts';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { ChoiceField, HiddenField, TextField } from '../../ui/form.tsx';
import { Facts } from '../../ui/list.tsx';
import { readableUsdc } from '../../ui/prices.ts';
import { act } from '../kit/act.tsx';
import { formId, optional, reason, required } from '../kit/fields.ts';
import type { DashboardTools } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import type { Subject } from '../kit/subject-page.tsx';
import { askIfPossible, notNow, payingBack, ReasonField, workOnce } from './asking.tsx';
import type { OrderTools } from './subject.tsx';
import { undoWords as undo } from './undo-words.ts';
import { words } from './words.ts';

const { return: names } = words;

/** The acts of a seller who has sent USDC back: the chain is asked about its transaction. A wrong entry can be undone until it is final. */
export function returnActs(tools: DashboardTools, order: Subject<Order>, own: OrderTools): Endpoint[] {
  const { usdc } = own;
  return [
    ...act(tools, order, {
      id: 'selling-order-return',
      name: 'return',
      // The license can end with it.
      ...payingBack,
      fields: z.object({
        once: formId,
        transaction: required(longest.transaction, names.noTransaction),
        to: optional(longest.address),
        reason,
      }),
      async ask(at) {
        const shown = await usdc.show(at.one);
        if (shown === undefined || shown.transfers.length === 0) return notNow(names.title, names.nothing, at);
        return await askIfPossible(own, 'return', at, () => ({
          scripts: ['copy.js'],
          lead: `${names.lead} ${at.one.payment.status === 'paid' ? names.effect : names.unpaid}`,
          fields: (
            <>
              <HiddenField name="once" />
              <Facts
                facts={[
                  [
                    names.paidBy,
                    sendersOf(shown).map(({ chainId, from, amount }) => (
                      <div key={`${chainId} ${from}`}>
                        <ExplorerLink
                          chainId={chainId}
                          about="address"
                          what={from}
                          copyId={`from-${chainId}-${from}`}
                        />{' '}
                        {names.paid(readableUsdc(amount), chainName(chainId))}
                      </div>
                    )),
                  ],
                  shown.surplus > 0 && [names.surplus, readableUsdc(shown.surplus)],
                ]}
              />
              <TextField name="transaction" label={names.transaction} hint={names.transactionHint} isCode />
              <TextField name="to" label={names.to} hint={names.toHint} isCode />
              <ReasonField />
            </>
          ),
          submit: names.submit,
          isDangerous: true,
        }));
      },
      work(sent) {
        const { transaction, to } = sent.fields;
        return workOnce(own, 'return', sent, (id, seller) => own.sendBack(id, { transaction, to }, seller));
      },
      notice: (done) => (done === 'already_sent' ? 'order_sent_before' : 'order_return'),
      refusals: {
        payment_act_not_allowed: { text: words.changedMeanwhile },
        refund_not_possible: { text: ({ detail }) => detail ?? words.changedMeanwhile },
        transaction_invalid: { field: 'transaction', text: ({ detail }) => detail ?? names.noTransaction },
        transaction_counted: { field: 'transaction', text: ({ detail }) => detail ?? names.noTransaction },
        address_invalid: { field: 'to', text: ({ detail }) => detail ?? names.toHint },
      },
    }),
    ...act(tools, order, {
      id: 'selling-order-undo-return',
      name: 'undo-return',
      fields: z.object({ transaction: required(longest.transaction, undo.choose), reason }),
      // With only one, there is nothing to choose.
      async initial({ one }) {
        const [only, ...others] = amountsBack(await usdc.show(one)).keys();
        return { transaction: only !== undefined && others.length === 0 ? only : [] };
      },
      async ask(at) {
        const amounts = amountsBack(await usdc.show(at.one));
        if (amounts.size === 0) return notNow(undo.title, undo.nothing, at);
        return {
          title: undo.title,
          lead: undo.lead,
          fields: (
            <>
              <ChoiceField
                name="transaction"
                type="radio"
                label={names.transaction}
                options={[...amounts].map(([hash, amount]) => [
                  hash,
                  <span key={hash}>
                    {undo.sent(readableUsdc(amount))} <code class="breakable">{hash}</code>
                  </span>,
                ])}
              />
              <ReasonField />
            </>
          ),
          submit: undo.submit,
          isDangerous: true,
        };
      },
      work: ({ one, visit, fields: { reason, transaction } }) =>
        own.undoSendBack(String(one.id), { transaction }, sellerIn(visit, reason)),
      notice: 'order_return_undone',
      refusals: {
        transaction_invalid: { field: 'transaction', text: undo.nothing },
        transaction_final: { field: 'transaction', text: undo.nothing },
        transaction_needed: { field: 'transaction', text: undo.needed },
      },
    }),
  ];
}

/** Returns what each transaction has sent back of those that are not final. */
function amountsBack(usdc: UsdcPayment | undefined): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>();
  for (const { txHash, amount, isFinal } of usdc?.sentBack ?? [])
    if (!isFinal) amounts.set(txHash, amount + (amounts.get(txHash) ?? 0));
  return amounts;
}

/** Returns the addresses that have paid, on each chain, with what came from them. */
function sendersOf({ quotes, transfers }: UsdcPayment) {
  const senders = new Map<string, { readonly chainId: number; readonly from: string; readonly amount: number }>();
  for (const { from, amount, quoteId } of transfers) {
    const chainId = quotes.find(({ id }) => id === quoteId)?.chainId ?? 0;
    const key = `${chainId} ${from}`;
    senders.set(key, { chainId, from, amount: amount + (senders.get(key)?.amount ?? 0) });
  }
  return [...senders.values()];
}
