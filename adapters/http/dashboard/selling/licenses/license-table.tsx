import type { VNode } from 'preact';
import type { SoldLicense } from '../../../../../core/selling/sold-license.ts';
import { CopiedText } from '../../../ui/copied-text.tsx';
import { type Column, List } from '../../../ui/list.tsx';
import { readableNumber } from '../../../ui/numbers.ts';
import { texts } from '../../../ui/texts.ts';
import { Expiry, LicenseTags } from './license-tags.tsx';
import { addressOf } from './license-tools.ts';

const { sellingLicenses: words } = texts;

/** Licenses as a table. `before` and `after` are more columns. */
export function LicenseTable({
  root,
  licenses,
  before = [],
  after = [],
}: {
  readonly root: string;
  readonly licenses: readonly SoldLicense[];
  readonly before?: readonly Column<SoldLicense>[];
  readonly after?: readonly Column<SoldLicense>[];
}): VNode {
  const columns: readonly Column<SoldLicense>[] = [
    ...before,
    {
      title: words.key,
      cell: (one) => (
        <>
          <CopiedText id={one.license.key} text={one.license.key} href={`${root}${addressOf(one)}`} />
          <span class="under" dir="auto">
            {one.product.title}
          </span>
        </>
      ),
    },
    { title: words.status, cell: (one) => <LicenseTags {...one} /> },
    { title: words.holder, cell: ({ notes }) => <HolderText holder={notes.holder} /> },
    {
      title: words.reference,
      cell: ({ notes }) => (
        <span class="breakable" dir="auto">
          {notes.reference}
        </span>
      ),
    },
    {
      title: words.domains.title,
      isNumber: true,
      cell: ({ license }) => `${readableNumber(license.domainsUsed)} / ${readableNumber(license.maxDomains)}`,
    },
    {
      title: words.expires,
      cell: (one) => (
        <span class="ends">
          <Expiry {...one} />
        </span>
      ),
    },
    ...after,
  ];
  return <List label={words.list} columns={columns} rows={licenses} keyOf={({ license }) => license.key} />;
}

/** The name and, below it, the address of the holder. */
export function HolderText({ holder }: { readonly holder: SoldLicense['notes']['holder'] }): VNode | null {
  if (holder === null) return null;
  const { name, email } = holder;
  return (
    <span class="breakable holder">
      {name !== null && <span dir="auto">{name}</span>}
      {email !== null && <span class={name === null ? undefined : 'under'}>{email}</span>}
    </span>
  );
}
