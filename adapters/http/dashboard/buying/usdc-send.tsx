import type { VNode } from 'preact';
import type { ShownQuote } from '../../../../core/usdc/paying.ts';
import { formatUsdc } from '../../../../core/usdc/usdc-quote.ts';
import { Facts } from '../../ui/list.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import { CopiedText } from '../../ui/secret.tsx';
import { Time } from '../../ui/time.tsx';
import { WalletsPart } from './usdc-wallets.tsx';
import { usdcWords as words } from './usdc-words.ts';

/** Shows how much to send, and where. The chain that was chosen last is open, and the others are folded below it. */
export function SendPart({
  quotes,
  address,
  arrived,
  isFailed,
}: {
  readonly quotes: readonly ShownQuote[];
  /** The address of the page. */
  readonly address: string;
  /** How many transfers have come already. */
  readonly arrived: number;
  /** See `WalletsPart`. */
  readonly isFailed: boolean;
}): VNode {
  const title = arrived > 0 ? words.titleOfRest : words.title;
  const [newest, ...others] = quotes.toSorted((one, other) => other.id - one.id);
  const shown = (quote: ShownQuote) => (
    <QuotePart
      quote={quote}
      isRest={arrived > 0}
      wallets={<WalletsPart quote={quote} address={address} isFailed={isFailed} arrived={arrived} />}
    />
  );
  return (
    <section class="panel" aria-label={title}>
      <h2>{title}</h2>
      <p>
        {words.lead} {words.fees}
      </p>
      {newest && (
        <>
          <h3>{words.on(newest.chain.name)}</h3>
          {shown(newest)}
        </>
      )}
      {others.map((quote) => (
        <details key={quote.id} class="folded">
          <summary class="fold">{words.orOn(quote.chain.name)}</summary>
          {shown(quote)}
        </details>
      ))}
      <p>
        <a href={address}>{words.reload}</a>
      </p>
    </section>
  );
}

/** Shows how much to send on one chain, and where. `isRest`: a part has arrived already. */
function QuotePart({
  quote,
  isRest,
  wallets,
}: {
  readonly quote: ShownQuote;
  readonly isRest: boolean;
  readonly wallets: VNode;
}): VNode {
  const { chain, chainId, payTo, due, endsAt } = quote;
  const uri = `ethereum:${chain.usdc}@${chainId}/transfer?address=${payTo}&uint256=${due}`;
  return (
    <div class="quote">
      <div class="quote-facts">
        <p class="quote-only">
          <strong>{words.only(chain.name)}</strong>
        </p>
        <Facts
          facts={[
            [
              isRest ? words.rest : words.amount,
              <CopiedText key="amount" id={`amount-${chainId}`} text={formatUsdc(due)} />,
            ],
            [words.to, <CopiedText key="to" id={`to-${chainId}`} text={payTo} />],
            [words.chain, `${chain.name} (${words.chainId(chainId)})`],
            [words.token, <CopiedText key="token" id={`token-${chainId}`} text={chain.usdc} />],
            // What is missing may come later than that. The page says until when.
            !isRest && [words.until, <Time key="until" at={endsAt} />],
          ]}
        />
        {wallets}
      </div>
      <div class="quote-picture">
        <QrCode content={uri} label={words.picture(chain.name)} />
        <p class="under">
          {words.scan} <a href={uri}>{words.open}</a>
        </p>
      </div>
    </div>
  );
}
