import type { VNode } from 'preact';
import { dayOf } from '../../../../core/day-text.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { overviewDays, type SellerOverview } from '../../../../core/selling/overview.ts';
import type { SoldLicense } from '../../../../core/selling/sold-license.ts';
import { steps } from '../../../../core/selling/usage-hours.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Column, List } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { Time } from '../../ui/time.tsx';
import type { SignedInVisit } from '../kit/page.ts';
import { PersonText } from '../kit/people.tsx';
import { addressWith } from '../kit/query.ts';
import { sellingPath } from '../kit/selling.tsx';
import { addressOf, Expiry, LicenseTags } from '../licenses/subject.tsx';
import { words as licenseWords } from '../licenses/words.ts';
import { StateTag } from '../products/subject.tsx';
import { words } from './words.ts';

interface Shown {
  readonly visit: SignedInVisit;
  readonly found: SellerOverview;
}

/** The products that are rejected or wait, each with what its seller can do. Nothing if there are none. */
export function AttentionPart({ visit, found: { rejected, waiting } }: Shown): VNode | null {
  const products = [...rejected, ...waiting];
  if (products.length === 0) return null;
  const addressOf = ({ id }: Product) => `${visit.frame.root}${sellingPath(visit, `products/${id}`)}`;
  const columns: readonly Column<Product>[] = [
    {
      title: words.product,
      cell: (product) => (
        <a href={addressOf(product)} dir="auto" class="breakable">
          {product.title}
        </a>
      ),
    },
    { title: words.state, cell: (product) => <StateTag product={product} /> },
    {
      title: words.next,
      cell: (product) =>
        product.status === 'rejected' ? (
          <>
            {words.rejected} <a href={addressOf(product)}>{words.toRejected}</a>
          </>
        ) : (
          <span class="faint">{words.waits}</span>
        ),
    },
  ];
  return (
    <section>
      <PartHead title={words.attention} />
      <List label={words.attention} columns={columns} rows={products} />
    </section>
  );
}

export function NewestPart({ visit, found: { newest } }: Shown): VNode {
  const { root } = visit.frame;
  return (
    <section>
      <PartHead title={words.newest}>
        <ButtonLink href={`${root}${sellingPath(visit, 'licenses')}`} text={words.seeAll} look="small" />
      </PartHead>
      <LicenseList
        label={words.newest}
        root={root}
        licenses={newest}
        last={{ title: words.issued, cell: ({ license }) => <Time at={license.createdAt} /> }}
      />
    </section>
  );
}

/** Nothing if no license expires. */
export function ExpiringPart({ visit, found: { expiring, usage } }: Shown): VNode | null {
  if (expiring.length === 0) return null;
  const { root } = visit.frame;
  // The last point is today.
  const end = (usage.at(-1)?.at ?? 0) + (overviewDays + 1) * steps.day;
  const filter = { status: 'active', expires_before: dayOf(end), sort: 'expires' };
  return (
    <section>
      <PartHead title={words.expiring(overviewDays)}>
        <ButtonLink
          href={addressWith(`${root}${sellingPath(visit, 'licenses')}`, filter)}
          text={words.seeExpiring}
          look="small"
        />
      </PartHead>
      <LicenseList
        label={words.expiring(overviewDays)}
        root={root}
        licenses={expiring}
        last={{ title: licenseWords.expires, cell: (one) => <Expiry {...one} /> }}
      />
    </section>
  );
}

function LicenseList({
  label,
  root,
  licenses,
  last,
}: {
  readonly label: string;
  readonly root: string;
  readonly licenses: readonly SoldLicense[];
  readonly last: Column<SoldLicense>;
}): VNode {
  const columns: readonly Column<SoldLicense>[] = [
    {
      title: licenseWords.key,
      cell: (one) => (
        <>
          <a href={`${root}${addressOf(one)}`} class="whole">
            <code>{one.license.key}</code>
          </a>
          <span class="under" dir="auto" title={one.product.title}>
            {one.product.title}
          </span>
        </>
      ),
    },
    { title: licenseWords.holder, cell: ({ notes: { holder } }) => holder && <PersonText person={holder} /> },
    { title: licenseWords.status, cell: (one) => <LicenseTags {...one} /> },
    last,
  ];
  return <List label={label} columns={columns} rows={licenses} />;
}
