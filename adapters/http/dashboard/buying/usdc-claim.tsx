import type { VNode } from 'preact';
import { z } from 'zod';
import type { Order } from '../../../../core/purchases/order.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import type { Claimable } from '../../../../core/usdc/claiming.ts';
import { longest } from '../../../../core/usdc/transaction-of.ts';
import { chainName } from '../../../../core/usdc/wallets.ts';
import type { Endpoint } from '../../surface.ts';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { AreaField, Form, HiddenField } from '../../ui/form.tsx';
import { textOf } from '../../ui/form-state.ts';
import { Facts } from '../../ui/list.tsx';
import { readableUsdc } from '../../ui/prices.ts';
import { Secret } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { goTo } from '../kit/answer.ts';
import { required } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import type { DashboardTools } from '../kit/page.ts';
import { choicesIn } from '../kit/query.ts';
import { NotNow } from '../kit/subject-page.tsx';
import { WalletSigning } from '../wallets/signing.tsx';
import { type BuyingTools, OrderFrame, orderIn, pathOf } from './frame.tsx';
import { usdcWords } from './usdc-words.ts';

const { claim: words, ask } = usdcWords;

/** The page on which the sender of a payment signs that it is for the order. Without a script, the signature is pasted. */
export function claimPage(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  return form(tools, {
    id: 'order-claim',
    path: '/orders/:token/claim',
    audience: 'anybody',
    fields: z.object({
      transaction: required(longest.transaction, words.noTransaction),
      // Signatures of contracts can be long.
      signature: required(20_000, words.noSignature),
    }),
    initial: (visit) => ({ transaction: choicesIn(visit, 'tx').tx }),
    async render(visit, state) {
      const order = await orderIn(own, visit);
      const back = `${visit.frame.root}${pathOf(order)}`;
      const asked = await claimableOf(own, order, textOf(state, 'transaction'));
      return (
        <OrderFrame visit={visit} order={order} title={words.title} scripts={['copy.js', 'wallet.js']}>
          {typeof asked === 'string' ? (
            <NotNow why={asked} back={back} name={words.back} />
          ) : (
            <>
              <p class="intro">
                {words.lead} {words.exchange}
              </p>
              {asked.map((one, at) => (
                <TextPart key={one.sender} id={`text-${at}`} of={one} page={back} />
              ))}
              <Form state={state} submit={words.submit} cancel={back}>
                <HiddenField name="transaction" />
                <AreaField name="signature" label={words.signature} hint={words.signatureHint} rows={3} />
              </Form>
            </>
          )}
        </OrderFrame>
      );
    },
    async act(visit, typed) {
      const order = await orderIn(own, visit);
      const claimed = await own.claiming.claim(order, typed);
      return isRefused(claimed) ? claimed : goTo(pathOf(order), { notice: 'claim_made' });
    },
    refusals: {
      wrong_signature: { field: 'signature', text: words.wrong },
      too_many_claims: { text: ({ detail }) => detail ?? words.noTransaction },
      payment_act_not_allowed: { text: usdcWords.notAwaited },
      transaction_invalid: { text: ({ detail }) => detail ?? words.noTransaction },
      transaction_not_final: { text: ({ detail }) => detail ?? words.noTransaction },
      transaction_counted: { text: ({ detail }) => detail ?? words.noTransaction },
    },
  });
}

/** Returns what can be claimed of a transaction, or says why nothing can. */
async function claimableOf(
  { claiming }: Pick<BuyingTools, 'claiming'>,
  order: Order,
  typed: string,
): Promise<readonly Claimable[] | string> {
  if (typed === '') return words.noTransaction;
  try {
    const asked = await claiming.ask(order, typed);
    if (!isRefused(asked)) return asked;
    return asked.reason === 'too_many_attempts' ? ask.answers.too_often : (asked.detail ?? words.noTransaction);
  } catch (error) {
    if (error instanceof Unavailable) return ask.answers.no_chain;
    throw error;
  }
}

/** A payment, and the text for its sender to sign. The script `wallet.js` shows the part with wallets if there are any. */
function TextPart({ id, of, page }: { readonly id: string; readonly of: Claimable; readonly page: string }): VNode {
  const { amount, chainId, sender, sentAt, text } = of;
  return (
    <section class="panel">
      <Facts
        facts={[
          [words.amount, readableUsdc(amount)],
          [
            words.from,
            <code key="from" class="breakable">
              {sender}
            </code>,
          ],
          [words.on, chainName(chainId)],
          [words.at, <Time key="at" at={sentAt} />],
          [words.transaction, <ExplorerLink key="tx" chainId={of.chainId} about="tx" what={of.txHash} />],
        ]}
      />
      <Secret id={id} label={words.text} value={text} wraps />
      <WalletSigning id={id} account={sender} page={page} />
    </section>
  );
}
