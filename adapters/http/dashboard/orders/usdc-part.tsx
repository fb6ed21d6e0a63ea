import type { VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import type { UsdcPayment } from '../../../../core/usdc/paying.ts';
import { formatUsdc } from '../../../../core/usdc/usdc-quote.ts';
import { PartHead } from '../../ui/part-head.tsx';
import { ClaimTable } from '../wallets/claims.tsx';
import { TransferList } from '../wallets/transfers.tsx';
import { words as walletWords } from '../wallets/words.ts';
import { claimWords } from './claim-words.ts';
import { claimPath } from './claims.tsx';
import { words } from './words.ts';

/** The payments of an order in USDC, the transfers back, and the claims of the buyer. */
export function UsdcPart({
  usdc,
  order,
  root,
  address,
}: {
  readonly usdc: UsdcPayment;
  readonly order: Order;
  readonly root: string;
  /** The address of the order. */
  readonly address: string;
}): VNode {
  const { transfers, sentBack, claims, surplus } = usdc;
  return (
    <>
      {transfers.length > 0 && (
        <section>
          <PartHead title={walletWords.transfers.title} />
          <TransferList
            usdc={usdc}
            between={surplus > 0 && <p>{walletWords.transfers.surplus(formatUsdc(surplus))}</p>}
          />
          {sentBack.some(({ isFinal }) => !isFinal) && (
            <p>
              <a href={`${address}/undo-return`}>{words.undoReturn.name}</a>
            </p>
          )}
        </section>
      )}
      {claims.length > 0 && (
        <section>
          <PartHead title={claimWords.title} />
          <ClaimTable claims={claims} addressOf={({ id }) => `${root}${claimPath(id, order)}`} />
        </section>
      )}
    </>
  );
}
