import type { ComponentChildren, VNode } from 'preact';
import { type KeyMode, keyModes } from '../../../../core/accounts/api-key.ts';
import type { Seller } from '../../../../core/selling/seller.ts';
import { Failure } from '../../failures.ts';
import { AreaPage, type areas } from '../../ui/area-page.tsx';
import type { Asset } from '../../ui/assets.ts';
import { actorWith } from '../page.ts';
import type { SignedInVisit } from '../visit.ts';

/* The pages for sellers. Each address says whether it shows live or test data: `/selling/:mode/…`. */

/** The mode in the path. */
export function modeIn({ params }: Pick<SignedInVisit, 'params'>): KeyMode {
  const mode = keyModes.find((one) => one === params.mode);
  if (mode === undefined) throw new Failure('not_found');
  return mode;
}

/** The signed-in person as seller of the data that the page shows, with the reason that was typed. */
export function sellerIn(visit: SignedInVisit, reason = ''): Seller {
  return { actor: actorWith(visit, reason), mode: modeIn(visit) };
}

/** A path below the pages of this mode, from the site's first page, such as `selling/live/products/31`. */
export function sellingPath(visit: Pick<SignedInVisit, 'params'>, rest: string): string {
  return `selling/${modeIn(visit)}/${rest}`;
}

/** A page for sellers. See `AreaPage`. */
export function SellingPage({
  visit,
  at,
  ...more
}: {
  readonly visit: SignedInVisit;
  readonly at: keyof (typeof areas)['selling'];
  readonly title: string;
  readonly above?: readonly { readonly href: string; readonly title: string }[];
  readonly scripts?: readonly Asset[];
  readonly head?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return <AreaPage frame={visit.frame} place={{ area: 'selling', at }} mode={modeIn(visit)} {...more} />;
}
