import type { ComponentChildren, VNode } from 'preact';
import type { Order } from '../../../../core/purchases/order.ts';
import { mainOrderOf } from '../../../../core/purchases/parts.ts';
import type { ShownLicense } from '../../../../core/selling/sold-license.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Fact, Facts, typed } from '../../ui/list.tsx';
import { readableNumber } from '../../ui/numbers.ts';
import { CopiedText } from '../../ui/secret.tsx';
import { Time, timeOr } from '../../ui/time.tsx';
import { PersonText } from '../kit/people.tsx';
import { sellingPath } from '../kit/selling.tsx';
import type { SubjectVisit } from '../kit/subject-page.tsx';
import { orderPath } from '../orders/subject.tsx';
import { words as orderWords } from '../orders/words.ts';
import { Expiry } from './subject.tsx';
import { words } from './words.ts';

const { facts: factNames } = words;

/** A license with what the facts show beside it. */
interface Known extends SubjectVisit<ShownLicense> {
  /** The seller, if it is not the reader. */
  readonly owner: ComponentChildren;
  /** The order that it was sold with. */
  readonly order: Order | undefined;
  /** The order of the bundle, if the license was sold as a part of one. */
  readonly bundle: Order | undefined;
}

/** Shows the facts of the license, and the seller's notes on it. */
export function LicenseFacts({ one, visit, root, address, owner, order, bundle }: Known): VNode {
  const { license, product, verifications } = one;
  return (
    <div class="boards">
      <section class="panel">
        <h2>{factNames.title}</h2>
        <Facts
          facts={[
            [words.key, <CopiedText key="key" id="key" text={license.key} />],
            [words.product, typed(product.title)],
            owner !== undefined && [words.owner, owner],
            order && [
              factNames.order,
              <a href={`${root}${orderPath(order)}`}>{orderWords.nameOf(mainOrderOf(order))}</a>,
            ],
            bundle && [
              factNames.partOf,
              <a
                key="bundle"
                href={`${root}${sellingPath(visit, `products/${bundle.productId}`)}`}
                dir="auto"
                class="breakable"
              >
                {bundle.agreed.title}
              </a>,
            ],
            [words.domains.title, factNames.domains(license.domainsUsed, license.maxDomains)],
            [factNames.issued, <Time key="issued" at={license.createdAt} />],
            [words.expires, <Expiry key="expires" license={license} />],
            [words.rights.updatesUntil, timeOr(license.updatesUntil, words.rights.allUpdates)],
            [words.rights.entitlements, license.entitlements.join(', ') || words.rights.none],
            [factNames.verifications, readableNumber(verifications.verificationCount)],
            [factNames.lastVerified, timeOr(verifications.lastVerifiedAt, factNames.never)],
          ]}
        />
      </section>
      {notesPart(one, address)}
    </div>
  );
}

function notesPart({ notes: { holder, reference, metadata } }: ShownLicense, address: string): VNode {
  const facts: readonly Fact[] = [
    ...(holder ? [[words.holder, <PersonText key="holder" person={holder} />] as const] : []),
    ...(reference === null ? [] : [[words.reference, typed(reference)] as const]),
  ];
  const more = Object.entries(metadata);
  return (
    <section class="panel">
      <h2>{factNames.notes}</h2>
      {facts.length + more.length === 0 && <p class="lead">{factNames.noNotes}</p>}
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
        <ButtonLink href={`${address}/edit`} text={words.edit.name} look="small" />
      </p>
    </section>
  );
}
