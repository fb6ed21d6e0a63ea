import type { ComponentChildren, VNode } from 'preact';
import type { SoldLicense } from '../../../../../core/selling/sold-license.ts';
import { AreaPage, areas } from '../../../ui/area-page.tsx';
import type { Asset } from '../../../ui/assets.ts';
import { texts } from '../../../ui/texts.ts';
import { addressWith } from '../../query.ts';
import type { SignedInVisit } from '../../visit.ts';
import { modeIn, SellingPage, sellingPath } from '../selling-page.tsx';
import { addressOf } from './license-tools.ts';

const { sellingLicenses: words } = texts;

/**
 * A page about a license. `title` is that of a page below the license's own. Administrators see the licenses of others as
 * part of the administration.
 */
export function LicensePage({
  visit,
  of,
  title,
  ...more
}: {
  readonly visit: SignedInVisit;
  readonly of: Pick<SoldLicense, 'license'>;
  readonly title?: string;
  readonly scripts?: readonly Asset[];
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const { frame, me } = visit;
  const { key, ownerId } = of.license;
  const isOwn = ownerId === me.login.id;
  const list = isOwn
    ? `${frame.root}${sellingPath(visit, 'licenses')}`
    : addressWith(`${frame.root}${areas.admin.licenses}`, modeIn(visit) === 'test' ? { mode: 'test' } : {});
  const above = [{ href: list, title: words.title }];
  const page = {
    ...more,
    title: title ?? key,
    above: title === undefined ? above : [...above, { href: `${frame.root}${addressOf(of)}`, title: key }],
  };
  return isOwn ? (
    <SellingPage visit={visit} at="licenses" {...page} />
  ) : (
    <AreaPage frame={frame} place={{ area: 'admin', at: 'licenses' }} {...page} />
  );
}
