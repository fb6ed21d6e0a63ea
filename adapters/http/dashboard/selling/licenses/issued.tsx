import type { VNode } from 'preact';
import type { SoldLicense } from '../../../../../core/selling/sold-license.ts';
import { Secret } from '../../../ui/secret.tsx';
import { texts } from '../../../ui/texts.ts';
import type { SignedInVisit } from '../../visit.ts';
import { SellingPage, sellingPath } from '../selling-page.tsx';
import { addressOf } from './license-tools.ts';

const { sellingLicenses: words } = texts;
const { issued: own } = words;

/** The keys that were just issued, to copy and to download. */
export function Issued({
  visit,
  issued,
}: {
  readonly visit: SignedInVisit;
  readonly issued: readonly SoldLicense[];
}): VNode {
  const { root } = visit.frame;
  const list = `${root}${sellingPath(visit, 'licenses')}`;
  const keys = issued.map(({ license: { key } }) => key).join('\n');
  const [first] = issued;
  return (
    <SellingPage
      visit={visit}
      at="licenses"
      above={[{ href: list, title: words.title }]}
      title={own.title(issued.length)}
      scripts={['copy.js']}
    >
      <section class="panel marked">
        <p dir="auto">{first?.product.title}</p>
        <Secret id="keys" label={own.keys(issued.length)} value={keys} mostLines={15} />
        <p>
          {/* The text is in the link itself, so that it is a download without another request. */}
          <a
            class="button"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${keys}\n`)}`}
            download={own.fileName}
          >
            {own.download}
          </a>
        </p>
      </section>
      <p class="lead">{own.stay}</p>
      <p class="choices">
        <a class="button primary" href={list}>
          {own.toList}
        </a>
        {issued.length === 1 && first && (
          <a class="button" href={`${root}${addressOf(first)}`}>
            {own.toLicense}
          </a>
        )}
        <a class="button" href={`${list}/new`}>
          {own.more}
        </a>
      </p>
    </SellingPage>
  );
}

export function AlreadyIssued({ visit }: { readonly visit: SignedInVisit }): VNode {
  const list = `${visit.frame.root}${sellingPath(visit, 'licenses')}`;
  return (
    <SellingPage visit={visit} at="licenses" above={[{ href: list, title: words.title }]} title={own.sentTitle}>
      <p class="lead">{own.sent}</p>
      <p class="choices">
        <a class="button primary" href={list}>
          {own.toList}
        </a>
        <a class="button" href={`${list}/new`}>
          {own.more}
        </a>
      </p>
    </SellingPage>
  );
}
