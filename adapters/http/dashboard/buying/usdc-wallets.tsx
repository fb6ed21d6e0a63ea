import type { VNode } from 'preact';
import type { ShownQuote } from '../../../../core/usdc/paying.ts';
import { transferCall } from '../../../../core/usdc/transfer.ts';
import { usdcWords } from './usdc-words.ts';

const { wallet: words } = usdcWords;

/**
 * Offers to pay with the wallets of the browser (EIP-6963). The script `wallet.js` shows it if there are any. `address` is that
 * of the page, and `isFailed` means that the transaction which the buyer has named has moved nothing.
 */
export function WalletsPart({
  quote: { chain, chainId, address: payTo, due },
  address,
  isFailed,
  arrived,
}: {
  readonly quote: ShownQuote;
  readonly address: string;
  readonly isFailed: boolean;
  /** How many transfers have come already. */
  readonly arrived: number;
}): VNode {
  return (
    <div
      hidden
      data-wallets={address}
      data-arrived={arrived}
      data-chain={`0x${chainId.toString(16)}`}
      data-token={chain.usdc}
      data-call={transferCall(payTo, due)}
      data-is-failed={isFailed ? '' : undefined}
      data-pay={words.pay}
      data-confirm={words.wait}
      data-declined={words.declined}
      data-busy={words.busy}
      data-other-chain={words.otherChain(chain.name)}
      data-failed={words.failed}
    >
      <p>{words.lead}</p>
      <div class="choices" />
      <p role="status" />
      <p hidden>
        {words.sent} <a href={address}>{words.look}</a>{' '}
        <button type="button" class="button small">
          {words.again}
        </button>
      </p>
    </div>
  );
}
