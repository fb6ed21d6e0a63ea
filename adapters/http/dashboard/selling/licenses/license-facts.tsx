import type { ComponentChildren, VNode } from 'preact';
import type { Order } from '../../../../../core/purchases/order.ts';
import type { ShownLicense } from '../../../../../core/selling/sold-license.ts';
import { CopiedText } from '../../../ui/copied-text.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { readableNumber } from '../../../ui/numbers.ts';
import { texts } from '../../../ui/texts.ts';
import { Time } from '../../../ui/time.tsx';
import { orderPath } from '../order-link.tsx';
import { HolderText } from './license-table.tsx';
import { Expiry, LicenseTags } from './license-tags.tsx';

const { sellingLicenses: words } = texts;
const { facts: names } = words;

/** Shows the facts of the license, and the seller's notes on it. */
export function LicenseFacts({
  found,
  address,
  owner,
  order,
  root,
}: {
  readonly found: ShownLicense;
  readonly address: string;
  /** The seller, if it is not the reader. */
  readonly owner: ComponentChildren;
  /** The order that it was sold with. */
  readonly order: Order | undefined;
  readonly root: string;
}): VNode {
  const { license, product, verifications } = found;
  return (
    <div class="boards">
      <section class="panel">
        <h2>{names.title}</h2>
        <Facts
          facts={[
            [words.key, <CopiedText key="key" id="key" text={license.key} />],
            [words.status, <LicenseTags key="status" {...found} />],
            [
              words.product,
              <span key="product" dir="auto">
                {product.title}
              </span>,
            ],
            ...(owner === undefined ? [] : [[words.owner, owner] as const]),
            ...(order
              ? [
                  [
                    names.order,
                    <a key="order" href={`${root}${orderPath(order)}`}>
                      {texts.sellingOrders.nameOf(order.id)}
                    </a>,
                  ] as const,
                ]
              : []),
            [words.domains.title, names.domains(license.domainsUsed, license.maxDomains)],
            [names.issued, <Time key="issued" at={license.createdAt} />],
            [words.expires, <Expiry key="expires" license={license} />],
            [names.verifications, readableNumber(verifications.verificationCount)],
            [
              names.lastVerified,
              verifications.lastVerifiedAt === null ? (
                texts.admin.never
              ) : (
                <Time key="last" at={verifications.lastVerifiedAt} />
              ),
            ],
          ]}
        />
      </section>
      <Notes found={found} address={address} />
    </div>
  );
}

function Notes({
  found: {
    notes: { holder, reference, metadata },
  },
  address,
}: {
  readonly found: ShownLicense;
  readonly address: string;
}): VNode {
  const facts: readonly Fact[] = [
    ...(holder ? [[words.holder, <HolderText key="holder" holder={holder} />] as const] : []),
    ...(reference === null ? [] : [[words.reference, <TextFact key="reference" text={reference} />] as const]),
  ];
  const more = Object.entries(metadata);
  return (
    <section class="panel">
      <h2>{names.notes}</h2>
      {facts.length + more.length === 0 && <p class="lead">{names.noNotes}</p>}
      {facts.length > 0 && <Facts facts={facts} />}
      {more.length > 0 && (
        <>
          <h3>{words.fields.metadata}</h3>
          <dl class="metadata">
            {more.map(([name, text]) => (
              <div key={name}>
                <dt dir="auto">{name}</dt>
                <dd dir="auto">{text}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      <p class="choices">
        <a class="button small" href={`${address}/edit`}>
          {words.edit.name}
        </a>
      </p>
    </section>
  );
}

function TextFact({ text }: { readonly text: string }): VNode {
  return <span dir="auto">{text}</span>;
}
