import type { VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import type { UsdcPayment } from '../../../../core/usdc/paying.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { readableUsdc } from '../../ui/prices.ts';
import { ClaimTable } from '../wallets/claims.tsx';
import { TransferList } from '../wallets/transfers.tsx';
import { words as walletWords } from '../wallets/words.ts';
import { claimWords } from './claim-words.ts';
import { claimPath } from './claims.tsx';
import { undoWords } from './undo-words.ts';

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
            withSenders
            between={surplus > 0 && <p>{walletWords.transfers.surplus(readableUsdc(surplus))}</p>}
            ofBack={
              sentBack.some(({ isFinal }) => !isFinal) && (
                <p>
                  <ButtonLink href={`${address}/undo-return`} text={undoWords.name} look="small" />
                </p>
              )
            }
          />
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
