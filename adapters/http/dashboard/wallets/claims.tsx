import type { VNode } from 'preact';
import type { ClaimState, UsdcClaim } from '../../../../core/usdc/claim.ts';
import { chainName } from '../../../../core/usdc/wallets.ts';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { List } from '../../ui/list.tsx';
import { readableUsdc } from '../../ui/prices.ts';
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
            addressOf ? <a href={addressOf(claim)}>{readableUsdc(claim.amount)}</a> : readableUsdc(claim.amount),
        },
        { title: words.columns.chain, cell: ({ chainId }) => chainName(chainId) },
        { title: words.columns.state, isState: true, cell: (claim) => <ClaimStanding claim={claim} /> },
        {
          title: words.columns.transaction,
          cell: (claim) => <ExplorerLink chainId={claim.chainId} about="tx" what={claim.txHash} />,
        },
      ]}
    />
  );
}

const tones = { open: 'tag busy', taken: 'tag good', rejected: 'tag' } as const satisfies Record<ClaimState, string>;

/** The state of a claim, with its names for the seller or for the buyer. */
export function ClaimTag({
  state,
  names = words.states,
}: {
  readonly state: ClaimState;
  readonly names?: Readonly<Record<ClaimState, string>>;
}): VNode {
  return <span class={tones[state]}>{names[state]}</span>;
}

/** The state of a claim, with the reason of a decision. */
function ClaimStanding({ claim: { state, reason } }: { readonly claim: UsdcClaim }): VNode {
  return (
    <>
      <ClaimTag state={state} />
      {reason !== null && (
        <span class="under">
          {words.reason} <span dir="auto">{reason}</span>
        </span>
      )}
    </>
  );
}
