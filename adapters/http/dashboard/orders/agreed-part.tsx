import type { VNode } from 'preact';
import { isBundle, type Order, titleOf } from '../../../../core/purchases/order.ts';
import { areas } from '../../ui/area-page.tsx';
import { type Fact, Facts, typed } from '../../ui/list.tsx';
import { updatesOf } from '../../ui/offer-words.ts';
import { termFacts } from '../products/terms.tsx';
import { words } from './words.ts';

const { agreed: names } = words;

/** The product as it was when it was ordered. A bundle has no terms of its own: each of its products has. */
export function AgreedPart({
  order,
  parts,
  root,
}: {
  readonly order: Order;
  /** Of a bundle: one for each product. */
  readonly parts: readonly Order[];
  readonly root: string;
}): VNode {
  const { sellerName } = order.agreed;
  const shared = [productFact(order, root), sellerName !== null && ([names.sellerName, typed(sellerName)] as const)];
  return (
    <section class="panel">
      <h2>{names.title}</h2>
      <p class="lead">{names.lead}</p>
      <Facts facts={isBundle(order) ? [...shared, offerFact(order)] : [...shared, ...licenseFacts(order)]} />
      {parts.map((part) => (
        <details key={part.id} class="folded">
          <summary class="fold" dir="auto">
            {titleOf(part.agreed)}
          </summary>
          <Facts facts={[productFact(part, root), ...licenseFacts(part)]} />
        </details>
      ))}
    </section>
  );
}

function productFact({ agreed, productId, isLive }: Order, root: string): Fact {
  const products = `${root}${areas.selling.products.replace(':mode', isLive ? 'live' : 'test')}`;
  return [
    names.product,
    <a key="product" href={`${products}/${productId}`} dir="auto" class="breakable">
      {agreed.title}
    </a>,
  ];
}

function offerFact({ agreed: { offer } }: Order): Fact | false {
  return offer !== null && [names.offer, typed(offer.name)];
}

/** What was agreed about the license and the files. */
function licenseFacts(order: Order): (Fact | false)[] {
  const { offer, version, templateId, terms } = order.agreed;
  const codes = offer?.entitlements ?? [];
  return [
    offerFact(order),
    [names.version, version ?? names.noVersion],
    templateId !== null && [names.template, names.withTemplate],
    ...termFacts(terms, offer?.recurs != null),
    offer !== null && offer.kind !== 'renewal' && [names.updates, updatesOf({ ...offer, duration: terms.duration })],
    codes.length > 0 && [names.entitlements, <code key="codes">{codes.join(' ')}</code>],
  ];
}
