import type { VNode } from 'preact';
import type { Instant } from '../../../../core/ports/clock.ts';
import type { EvmAddress } from '../../../../core/usdc/evm-address.ts';
import type { Wallet } from '../../../../core/usdc/wallet.ts';
import { chainName, type Wallets } from '../../../../core/usdc/wallets.ts';
import { List } from '../../ui/list.tsx';
import { CopiedText } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { words } from './words.ts';

/** An address of a chain: the one in use, or the one that waits. */
interface Row {
  readonly chainId: number;
  readonly address: EvmAddress;
  /** From when it is used. `undefined`: it is in use. */
  readonly from?: Instant;
  /** The first of its chain. What is removed is both. */
  readonly isFirst: boolean;
}

/** The addresses of a seller, with those that wait. `address`: the one of the page. */
export function WalletList({
  wallets,
  address: here,
  spelled,
}: {
  readonly wallets: readonly Wallet[];
  readonly address: string;
  readonly spelled: Wallets['spelled'];
}): VNode {
  return (
    <List
      label={words.list}
      rows={wallets.flatMap(rowsOf)}
      columns={[
        { title: words.columns.chain, cell: ({ chainId }) => chainName(chainId) },
        {
          title: words.columns.address,
          cell: ({ chainId, address, from }) => (
            <CopiedText id={`${from === undefined ? 'address' : 'next'}-${chainId}`} text={spelled(address)} />
          ),
        },
        {
          title: words.columns.state,
          cell: ({ from }) =>
            from === undefined ? (
              <span class="tag good">{words.used}</span>
            ) : (
              <>
                <span class="tag busy">{words.waits}</span>
                <span class="under">
                  {words.usedFrom} <Time at={from} />
                </span>
              </>
            ),
        },
        {
          title: words.columns.remove,
          isTitleUnseen: true,
          cell: ({ chainId, isFirst }) =>
            isFirst && (
              <a href={`${here}/${chainId}/remove`}>
                {words.remove}
                <span class="unseen"> {chainName(chainId)}</span>
              </a>
            ),
        },
      ]}
    />
  );
}

function rowsOf({ chainId, address, next }: Wallet): Row[] {
  const isAlone = address === null;
  return [
    ...(isAlone ? [] : [{ chainId, address, isFirst: true }]),
    ...(next === null ? [] : [{ chainId, address: next.address, from: next.from, isFirst: isAlone }]),
  ];
}
