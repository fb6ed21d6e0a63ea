import type { VNode } from 'preact';
import type { UsdcClaim } from '../../../../core/usdc/claim.ts';
import { formatUsdc } from '../../../../core/usdc/usdc-quote.ts';
import { chainName } from '../../../../core/usdc/wallets.ts';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { List } from '../../ui/list.tsx';
import { words as all } from './words.ts';

const { claims: words } = all;

/** The payments that a buyer has claimed for an order, for the buyer and the seller. */
export function ClaimTable({
  claims,
  addressOf,
}: {
  readonly claims: readonly UsdcClaim[];
  /** The address of the page on which one is decided. */
  readonly addressOf?: (claim: UsdcClaim) => string;
}): VNode {
  return (
    <List
      label={words.label}
      rows={claims}
      columns={[
        {
          title: words.columns.amount,
          cell: (claim) =>
            addressOf ? <a href={addressOf(claim)}>{formatUsdc(claim.amount)}</a> : formatUsdc(claim.amount),
        },
        { title: words.columns.chain, cell: ({ chainId }) => chainName(chainId) },
        { title: words.columns.state, cell: (claim) => <ClaimStanding claim={claim} /> },
        {
          title: words.columns.transaction,
          cell: (claim) => <ExplorerLink chainId={claim.chainId} about="tx" what={claim.txHash} />,
        },
      ]}
    />
  );
}

/** The state of a claim, with the reason of a decision. */
export function ClaimStanding({ claim: { state, reason } }: { readonly claim: UsdcClaim }): VNode {
  return (
    <>
      {words.states[state]}
      {reason !== null && (
        <span class="under">
          {words.reason} <span dir="auto">{reason}</span>
        </span>
      )}
    </>
  );
}
