import type { VNode } from 'preact';
import type { UsdcPayment } from '../../../../core/usdc/paying.ts';
import { formatUsdc } from '../../../../core/usdc/usdc-quote.ts';
import { List } from '../../ui/list.tsx';
import { words as all } from './words.ts';

const { transfers: words } = all;

/** The transfers that pay an order, with links to a site that shows them. */
export function TransferList({ usdc: { quotes, transfers } }: { readonly usdc: UsdcPayment }): VNode {
  const chainOf = (quoteId: number) => quotes.find(({ id }) => id === quoteId)?.chain;
  return (
    <List
      label={words.title}
      rows={transfers}
      columns={[
        { title: words.columns.amount, cell: ({ amount }) => formatUsdc(amount) },
        { title: words.columns.chain, cell: ({ quoteId }) => chainOf(quoteId)?.name },
        { title: words.columns.state, cell: ({ isFinal }) => (isFinal ? words.final : words.seen) },
        {
          title: words.columns.transaction,
          cell: ({ quoteId, txHash }) => (
            <a href={`${chainOf(quoteId)?.explorer}/tx/${txHash}`} rel="noreferrer">
              <code>{`${txHash.slice(0, 10)}…${txHash.slice(-6)}`}</code>
            </a>
          ),
        },
      ]}
    />
  );
}
