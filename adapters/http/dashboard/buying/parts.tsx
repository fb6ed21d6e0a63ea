import type { VNode } from 'preact';
import type { BoughtItem } from '../../../../core/purchases/bought-items.ts';
import type { Purchases } from '../../../../core/purchases/buying.ts';
import { type Order, titleOf } from '../../../../core/purchases/order.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Facts } from '../../ui/list.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { Secret } from '../../ui/secret.tsx';
import { type BuyingTools, pathOf, StateTag } from './frame.tsx';
import { words } from './words.ts';

const { parts: names } = words;

/** Reads the parts of an order of a bundle. None of other orders. */
export async function partsIn(own: BuyingTools, order: Order): Promise<readonly BoughtItem[]> {
  return await own.readItems(await own.purchases.partsOf([order]));
}

/** Each product of a bundle, with its key, its domains and its download. Each has a page of its own for all else. */
export function PartsPart({ parts, root }: { readonly parts: readonly BoughtItem[]; readonly root: string }): VNode {
  return (
    <section id="products">
      <PartHead title={names.title} lead={names.lead(parts.length)} />
      {parts.map((one) => (
        <OnePart key={one.order.id} item={one} root={root} />
      ))}
    </section>
  );
}

/** Says to which bundle a part belongs, and leads its buyer to the order of that. */
export function OfBundle({
  found: { order, token },
  root,
}: {
  readonly found: NonNullable<Awaited<ReturnType<Purchases['bundleOf']>>>;
  readonly root: string;
}): VNode {
  const name = names.bundle(order.agreed.title, order.id);
  return (
    <p class="hint">
      {names.partOf} {token === undefined ? name : <a href={`${root}${pathOf({ token })}`}>{name}</a>}. {names.share}
    </p>
  );
}

interface ItemProps {
  readonly item: BoughtItem;
  readonly root: string;
}

function OnePart({ item, root }: ItemProps): VNode {
  const { order, license } = item;
  const title = titleOf(order.agreed);
  return (
    <section class="panel" aria-labelledby={`part-${order.id}`}>
      <h3 id={`part-${order.id}`} dir="auto" class="breakable">
        {title}
      </h3>
      {order.state !== 'paid' && <StateTag order={order} />}
      {license && (
        <>
          <Secret id={`key-${order.id}`} label={words.order.key} value={license.key} />
          <Facts
            facts={[
              [words.order.status, words.statuses[license.status]],
              [
                words.domains.title,
                <span key="domains" class="breakable">
                  {domainsOf(item)}
                </span>,
              ],
            ]}
          />
          <div class="choices">
            <ItemDownloads item={item} root={root} />
            <ButtonLink href={`${root}${pathOf(order)}`} text={names.open} about={title} look="small" />
          </div>
        </>
      )}
    </section>
  );
}

/** How many domains of the license are in use, and the newest of them. */
export function domainsOf({ license, domains }: BoughtItem): string {
  if (license === undefined) return '';
  return `${words.domains.used(license.domainsUsed, license.maxDomains)} ${domains.join(', ')}`.trim();
}

/** The buttons that download the newest version and the template. */
export function ItemDownloads({ item: { order, version, hasTemplate }, root }: ItemProps): VNode {
  const address = `${root}${pathOf(order)}`;
  const about = titleOf(order.agreed);
  return (
    <>
      {version !== undefined && (
        <ButtonLink
          href={`${address}/download/${encodeURIComponent(version)}`}
          text={names.download(version)}
          about={about}
          look="small"
        />
      )}
      {hasTemplate && <ButtonLink href={`${address}/template`} text={names.template} about={about} look="small" />}
    </>
  );
}
