import type { VNode } from 'preact';
import { words as all } from './words.ts';

const { signing: words } = all;

/**
 * Offers to sign the text in the field `id` with the wallets of the browser (EIP-6963), into the field `signature` of the form below. The script
 * `wallet.js` shows it if there are any. Without one, people sign elsewhere and paste.
 */
export function WalletSigning({
  id,
  account,
  page,
}: {
  readonly id: string;
  /** The address that has to sign. */
  readonly account: string;
  /** The address of the page. */
  readonly page: string;
}): VNode {
  return (
    <div
      hidden
      data-wallets={page}
      data-signs={id}
      data-account={account}
      data-pay={words.sign}
      data-confirm={words.wait}
      data-declined={words.declined}
      data-busy={words.busy}
      data-other-account={words.otherAccount(account)}
      data-failed={words.failed}
      data-done={words.signed}
    >
      <p>{words.lead}</p>
      <div class="choices" />
      <p role="status" />
    </div>
  );
}
