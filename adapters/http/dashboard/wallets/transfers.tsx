import type { ComponentChildren, VNode } from 'preact';
import type { UsdcPayment } from '../../../../core/usdc/paying.ts';
import type { Transfer } from '../../../../core/usdc/transfer.ts';
import { chainName } from '../../../../core/usdc/wallets.ts';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { List } from '../../ui/list.tsx';
import { readableUsdc } from '../../ui/prices.ts';
import { words as all } from './words.ts';

const { transfers: words } = all;

interface ShownTransfer extends Transfer {
  readonly chainId: number;
  readonly isFinal: boolean;
}

function Transfers({
  label,
  rows,
  final,
  withSenders = false,
}: {
  readonly label: string;
  readonly rows: readonly ShownTransfer[];
  readonly final: string;
  /** Whether the addresses that have sent are shown. */
  readonly withSenders?: boolean;
}): VNode {
  return (
    <List
      label={label}
      rows={rows}
      columns={[
        { title: words.columns.amount, cell: ({ amount }) => readableUsdc(amount) },
        { title: words.columns.chain, cell: ({ chainId }) => chainName(chainId) },
        {
          title: words.columns.state,
          isState: true,
          cell: ({ isFinal }) => <span class={isFinal ? 'tag good' : 'tag busy'}>{isFinal ? final : words.seen}</span>,
        },
        ...(withSenders
          ? [
              {
                title: words.columns.from,
                cell: ({ chainId, from, txHash, logIndex }: ShownTransfer) => (
                  <ExplorerLink chainId={chainId} about="address" what={from} copyId={`from-${txHash}-${logIndex}`} />
                ),
              },
            ]
          : []),
        {
          title: words.columns.transaction,
          cell: ({ chainId, txHash }) => <ExplorerLink chainId={chainId} about="tx" what={txHash} />,
        },
      ]}
    />
  );
}

/** The transfers that pay an order, and what was sent back, with links to a site that shows them. */
export function TransferList({
  usdc: { quotes, transfers, sentBack },
  between,
  withSenders = false,
  ofBack,
}: {
  readonly usdc: UsdcPayment;
  /** Content between the transfers that arrived and those that were sent back. */
  readonly between?: ComponentChildren;
  /** Whether the addresses that have paid are shown. Somebody who sends money back needs them. */
  readonly withSenders?: boolean;
  /** Content after what was sent back. */
  readonly ofBack?: ComponentChildren;
}): VNode {
  const rows = transfers.map((one) => ({
    ...one,
    chainId: quotes.find(({ id }) => id === one.quoteId)?.chainId ?? 0,
  }));
  return (
    <>
      <Transfers label={words.title} rows={rows} final={words.final} withSenders={withSenders} />
      {between}
      {sentBack.length > 0 && (
        <>
          <h3>{words.back}</h3>
          <Transfers label={words.back} rows={sentBack} final={words.sent} />
          {ofBack}
        </>
      )}
    </>
  );
}
