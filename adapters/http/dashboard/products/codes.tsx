import type { VNode } from 'preact';
import { z } from 'zod';
import { isCodeHash, isContractCode, mostCodeDigits } from '../../../../core/deployments/contract-code.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import { mostReleaseCodes, type ReleaseCode } from '../../../../core/ports/release-codes.ts';
import type { SellerReleaseCodes } from '../../../../core/selling/release-codes.ts';
import type { Endpoint } from '../../surface.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { AreaField, SelectField, TextField } from '../../ui/form.tsx';
import { Paging } from '../../ui/paging.tsx';
import { PartHead } from '../../ui/part-head.tsx';
import { Time } from '../../ui/time.tsx';
import { act } from '../kit/act.tsx';
import { hiddenText, required } from '../kit/fields.ts';
import { type DashboardTools, orFail } from '../kit/page.ts';
import { sellerIn } from '../kit/selling.tsx';
import { type Subject, subjectPage } from '../kit/subject-page.tsx';
import type { ProductTools } from './subject.tsx';

/** The texts of the pages about the code of a product's contracts. */
const words = {
  title: 'Contract code',
  lead: 'Reported deployments of the template are compared with this code: those with other code are a mismatch.',
  registered: 'Registered code',
  none: 'No code is registered',
  noneAdvice: 'So every contract that a buyer deploys with the template is confirmed, whatever its code is.',
  noVersion: 'The product has no version yet. Upload one first: code belongs to a version.',
  add: 'Register code',
  addLead:
    'Register the code that runs for each contract that buyers deploy. For a proxy, register its implementation. Deployments that matched no code before, and have this one, are confirmed.',
  version: 'Version',
  contract: 'Contract',
  contractHint: 'The name in the source, such as Dex.',
  noContract: 'Enter the name of the contract.',
  code: 'Runtime code, or its hash',
  codeHint:
    'What compilers call deployedBytecode: 0x and hexadecimal digits. Or the Keccak-256 of it without the metadata at its end.',
  noCode: 'Enter the code that runs: 0x and hexadecimal digits, two for each byte. Link its libraries first.',
  longCode: 'This is longer than the code of any contract.',
  submit: 'Register',
  of: (contract: string, version: string) => `${contract}, version ${version}`,
  remove: 'Delete',
  removeTitle: 'Delete this code?',
  removeLead: 'Later deployments no longer match it. What was confirmed stays confirmed.',
  pages: 'Contract code',
  newest: 'Newest',
  older: 'Older',
} as const;

/** The dependencies of the pages about the code of contracts. */
export interface CodeTools {
  readonly codes: SellerReleaseCodes;
}

const codesOnPage = 20;
/** So many versions can be chosen. Code of older ones can be registered by the account API. */
const versionsToChoose = 100;

const newCode = z.object({
  version: hiddenText,
  contract: required(100, words.noContract),
  code: hiddenText.pipe(
    z
      .string()
      .trim()
      .max(mostCodeDigits, words.longCode)
      .refine((text) => isContractCode(text), words.noCode),
  ),
});

/** The code of the contracts in the versions of a product: the list, and the forms that add and delete. */
export function codePages(
  tools: DashboardTools,
  product: Subject<Product>,
  { codes, products }: CodeTools & Pick<ProductTools, 'products'>,
): Endpoint[] {
  return [
    subjectPage(tools, product, {
      id: 'product-codes',
      below: '/codes',
      async show({ one, visit, address }) {
        const { after = '' } = visit.query;
        const wanted = { after: after || undefined, limit: codesOnPage };
        const { items, next } = orFail(await codes.list(String(one.id), wanted, sellerIn(visit)));
        const list = `${address}/codes`;
        return {
          title: words.title,
          actions: one.archivedAt === null && <ButtonLink href={`${list}/new`} text={words.add} />,
          children: (
            <section>
              <PartHead title={words.registered} lead={words.lead} />
              {items.length === 0 && (
                <EmptyState heading="h3" title={words.none}>
                  <p>{words.noneAdvice}</p>
                </EmptyState>
              )}
              {items.length > 0 && (
                <ul class="rows panel">
                  {items.map((code) => (
                    <CodeRow key={code.id} code={code} address={`${list}/${code.id}`} />
                  ))}
                </ul>
              )}
              <Paging
                label={words.pages}
                back={after === '' ? undefined : { href: list, title: words.newest }}
                on={next === null ? undefined : { href: `${list}?after=${next}`, title: words.older }}
              />
            </section>
          ),
        };
      },
    }),

    ...act(tools, product, {
      id: 'new-code',
      name: 'codes/new',
      fields: newCode,
      async ask({ one, visit }) {
        const { versions } = orFail(
          await products.versions(String(one.id), { after: undefined, limit: versionsToChoose }, sellerIn(visit)),
        );
        if (versions.length === 0) return { title: words.add, instead: <p class="intro">{words.noVersion}</p> };
        return {
          title: words.add,
          lead: words.addLead,
          fields: (
            <>
              <SelectField
                name="version"
                label={words.version}
                options={versions.map(({ number }) => [number, number])}
              />
              <TextField name="contract" label={words.contract} hint={words.contractHint} />
              <AreaField name="code" label={words.code} hint={words.codeHint} rows={6} isCode />
            </>
          ),
          submit: words.submit,
        };
      },
      work: ({ one, visit, fields: { version, contract, code } }) =>
        codes.add(
          String(one.id),
          { version, contract, code: isCodeHash(code) ? { hash: code } : { bytes: code } },
          sellerIn(visit),
        ),
      to: (_, { one, visit }) => `${product.about(one, visit).path}/codes`,
      notice: 'code_added',
      refusals: {
        too_many_codes: { text: `A product can have ${mostReleaseCodes} codes. Delete those of old versions.` },
      },
    }),

    ...act(tools, product, {
      id: 'remove-code',
      name: 'codes/:code/remove',
      fields: z.object({}),
      ask: () => ({
        title: words.removeTitle,
        lead: words.removeLead,
        submit: words.remove,
        isDangerous: true,
      }),
      work: ({ one, visit }) => codes.remove(String(one.id), visit.params.code ?? '', sellerIn(visit)),
      to: (_, { one, visit }) => `${product.about(one, visit).path}/codes`,
      notice: 'code_removed',
      refusals: {},
    }),
  ];
}

/** The way to the code, for products with a template. Others have no deployments. */
export function CodeLink({ product, address }: { readonly product: Product; readonly address: string }): VNode | null {
  if (product.templateId === null) return null;
  return <ButtonLink href={`${address}/codes`} text={words.title} look="small" />;
}

function CodeRow({
  code: { version, contract, hash, createdAt },
  address,
}: {
  readonly code: ReleaseCode;
  readonly address: string;
}): VNode {
  const name = words.of(contract, version);
  return (
    <li class="row">
      <div class="about">
        <h3 class="breakable" dir="auto">
          {name}
        </h3>
        <p class="breakable">
          <code>{hash}</code>
        </p>
        <ul class="details">
          <li>
            <Time at={createdAt} />
          </li>
        </ul>
      </div>
      <div class="choices">
        <ButtonLink href={`${address}/remove`} text={words.remove} about={name} look="small danger" />
      </div>
    </li>
  );
}
