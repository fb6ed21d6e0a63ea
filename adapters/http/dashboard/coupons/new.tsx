import type { VNode } from 'preact';
import { z } from 'zod';
import { may } from '../../../../core/accounts/role.ts';
import { baseCurrency, isCurrency } from '../../../../core/currency.ts';
import { listedOffers } from '../../../../core/marketplace/offers.ts';
import type { Product } from '../../../../core/marketplace/product.ts';
import type { Instant } from '../../../../core/ports/clock.ts';
import { codeRule, codeOf as couponCodeOf, couponLimits } from '../../../../core/purchases/coupon.ts';
import { isRefused, refuse } from '../../../../core/refusal.ts';
import type { CouponWish } from '../../../../core/selling/coupons.ts';
import { parseWholeNumber } from '../../../../core/whole-number.ts';
import type { Endpoint } from '../../surface.ts';
import { areas } from '../../ui/area-page.tsx';
import {
  ChoiceField,
  DateField,
  Form,
  HiddenField,
  named,
  type Options,
  SelectField,
  TextField,
} from '../../ui/form.tsx';
import { parseMoney } from '../../ui/prices.ts';
import { failureWords } from '../../ui/words.ts';
import { goTo } from '../kit/answer.ts';
import { formId, oneOf, optional, required, someOf, wholeOrNothing } from '../kit/fields.ts';
import { form } from '../kit/form.ts';
import { newFormId } from '../kit/once.ts';
import { actorOf, type DashboardTools, type SignedInVisit } from '../kit/page.ts';
import { startOf } from '../kit/query.ts';
import { asRefused } from '../kit/refusal-messages.ts';
import { SellingPage, sellerIn, sellingPath } from '../kit/selling.tsx';
import type { CouponTools } from './subject.tsx';
import { words } from './words.ts';

const kinds = ['percent', 'amount'] as const;
const payments = ['first', 'some', 'every'] as const;
/** More products than this are not offered in a list. Then the slug is typed. */
const mostOffered = 50;

/** The currency of an amount. Nothing typed: the base currency. */
const codeOf = (typed: string) => typed.toLowerCase() || baseCurrency;

const dayOrNothing = optional(10).refine((text) => text === '' || startOf(text) !== undefined, words.noDay);

const fields = z.object({
  once: formId,
  code: optional(couponLimits.code.most),
  kind: oneOf(kinds, words.choose),
  off: required(20, words.notAmount),
  currency: optional(3),
  target: optional(300),
  payments: oneOf(payments, words.choose),
  count: optional(10),
  starts: dayOrNothing,
  ends: dayOrNothing,
  most_uses: wholeOrNothing(1, couponLimits.uses),
  most_per_buyer: wholeOrNothing(1, couponLimits.uses),
  owners_of: optional(300),
  site: someOf(['yes']),
});
type Typed = z.output<typeof fields>;

const percentOf = (text: string) => parseWholeNumber(text.replace(/\s*%$/, ''), 1, 100);
const countOf = (text: string) => parseWholeNumber(text, 2, couponLimits.payments);

/** What is wrong with a field. A field that is wrong for itself may be missing. */
type Rule = readonly [field: string, isWrong: (typed: Partial<Typed>) => boolean, message: string];

const rulesAt = (now: () => Instant): readonly Rule[] => [
  ['code', ({ code = '' }) => code !== '' && couponCodeOf(code) === undefined, codeRule],
  ['off', ({ kind, off }) => kind === 'percent' && off !== undefined && percentOf(off) === undefined, words.notPercent],
  [
    'off',
    ({ kind, off, currency = '' }) =>
      kind === 'amount' && off !== undefined && !((parseMoney(off, codeOf(currency)) ?? 0) > 0),
    words.notAmount,
  ],
  ['currency', ({ kind, currency = '' }) => kind === 'amount' && !isCurrency(codeOf(currency)), words.notCurrency],
  [
    'count',
    ({ payments: which, count = '' }) => which === 'some' && countOf(count) === undefined,
    words.noCount(couponLimits.payments),
  ],
  ['ends', ({ starts = '', ends = '' }) => (startOf(ends, 1) ?? Infinity) <= (startOf(starts) ?? 0), words.endsTooSoon],
  ['ends', ({ ends = '' }) => (startOf(ends, 1) ?? Infinity) <= now(), words.isOver],
];

/** All that is wrong is shown at once. */
const checkedAt = (now: () => Instant) =>
  rulesAt(now).reduce<z.ZodType<Typed>>(
    (checked, [field, isWrong, error]) =>
      checked.refine((typed) => !isWrong(typed), { path: [field], error, when: () => true }),
    fields,
  );

/** Returns what was typed as the use case takes it. An offer stands after its product, with a slash between them. */
function wishOf(typed: Typed): CouponWish {
  const { kind, off, target, payments: which } = typed;
  const currency = codeOf(typed.currency);
  const [product = '', offer] = target.split('/');
  return {
    code: typed.code,
    takesOff:
      kind === 'percent' ? { percent: percentOf(off) ?? 0 } : { amount: parseMoney(off, currency) ?? 0, currency },
    targets: product === '' ? [] : [{ product, offer: offer ?? null }],
    payments: which === 'some' ? (countOf(typed.count) ?? 0) : which,
    startsAt: startOf(typed.starts) ?? null,
    // The last day is included.
    endsAt: startOf(typed.ends, 1) ?? null,
    mostUses: typed.most_uses ?? null,
    mostPerBuyer: typed.most_per_buyer ?? null,
    ownersOf: typed.owners_of || null,
    isOfSite: typed.site.length > 0,
  };
}

/** The form for a new coupon. Sending it again makes no second one. */
export function newCouponPages(tools: DashboardTools, { coupons, products, once }: CouponTools): Endpoint[] {
  return form(tools, {
    id: 'new-coupon',
    path: `/${areas.selling.coupons}/new`,
    audience: 'user',
    fields: checkedAt(() => tools.clock.now()),
    initial: () => ({ kind: 'percent', payments: 'first', currency: baseCurrency.toUpperCase() }),
    render: async (visit, state) => (
      <SellingPage visit={visit} at="coupons" isBelow title={words.newTitle}>
        <p class="intro">{words.lead}</p>
        <Form state={state} submit={words.submit} cancel={`${visit.frame.root}${sellingPath(visit, 'coupons')}`}>
          <HiddenField name="once" value={newFormId()} />
          <CouponFields
            products={await productsOf(products, visit)}
            isAdministrator={may(actorOf(visit), 'products:manage')}
          />
        </Form>
      </SellingPage>
    ),
    async act(visit, { once: id, ...typed }) {
      const wish = wishOf({ ...typed, once: id });
      const made = await once(`${visit.me.login.id}:coupon`, id, () => coupons.create(wish, sellerIn(visit)));
      if (made === 'already_sent') return goTo(sellingPath(visit, 'coupons'), { notice: 'coupon_sent_before' });
      // The product is what was typed, so the form shows the refusal.
      if (isRefused(made)) return made.reason === 'product_not_found' ? refuse('unknown_product') : made;
      return goTo(sellingPath(visit, `coupons/${made.coupon.id}`), { notice: 'coupon_added' });
    },
    refusals: {
      unknown_product: { field: 'target', text: words.unknownProduct },
      product_not_found: { field: 'target', text: words.unknownProduct },
      invalid_coupon: asRefused(),
      coupon_exists: asRefused('code'),
      too_many_coupons: asRefused(),
      forbidden: { text: failureWords.noRight },
    },
  });
}

/** The products that a coupon of this person can be for. `undefined` if there are too many for a list. */
async function productsOf(
  products: CouponTools['products'],
  visit: SignedInVisit,
): Promise<readonly Product[] | undefined> {
  const found = await products.list({ limit: mostOffered }, sellerIn(visit));
  if (isRefused(found) || found.next !== null) return undefined;
  const own = visit.me.login.id;
  return found.products.filter(
    ({ ownerId, archivedAt }) => archivedAt === null && (ownerId === own || ownerId === null),
  );
}

/** The products and the offers that buyers choose from. */
function targetOptions(products: readonly Product[]): Options {
  return products.flatMap((product) => {
    const offers = listedOffers(product);
    return [
      [product.slug, product.title] as const,
      ...(offers.length > 1
        ? offers.map(({ slug, name }) => [`${product.slug}/${slug}`, `${product.title}: ${name}`] as const)
        : []),
    ];
  });
}

function CouponFields({
  products,
  isAdministrator,
}: {
  readonly products: readonly Product[] | undefined;
  readonly isAdministrator: boolean;
}): VNode {
  const { code } = couponLimits;
  const titles: Options = products?.map(({ slug, title }) => [slug, title] as const) ?? [];
  return (
    <>
      <TextField name="code" label={words.code} hint={words.codeHint(code.least, code.most)} isCode />
      <ChoiceField name="kind" type="radio" label={words.kind} options={named(kinds, words.kinds)} />
      <TextField name="off" label={words.off} hint={words.offHint} inputmode="decimal" />
      {/* The style sheet hides fields that another one does not ask for. */}
      <div class="if-amount">
        <TextField name="currency" label={words.currency} hint={words.currencyHint} />
      </div>
      {products === undefined ? (
        <TextField name="target" label={words.target} hint={words.targetHint} />
      ) : (
        <SelectField
          name="target"
          label={words.target}
          options={[['', words.allProducts], ...targetOptions(products)]}
        />
      )}
      <ChoiceField
        name="payments"
        type="radio"
        label={words.payments}
        options={named(payments, words.paymentChoices)}
      />
      <div class="if-count">
        <TextField name="count" label={words.count} hint={words.countHint} inputmode="numeric" />
      </div>
      <DateField name="starts" label={words.starts} hint={words.dayHint} />
      <DateField name="ends" label={words.ends} hint={words.dayHint} />
      <TextField name="most_uses" label={words.mostUses} hint={words.mostUsesHint} inputmode="numeric" />
      <TextField name="most_per_buyer" label={words.mostPerBuyer} hint={words.mostPerBuyerHint} inputmode="numeric" />
      {products === undefined ? (
        <TextField name="owners_of" label={words.ownersOf} hint={words.ownersOfHint} />
      ) : (
        <SelectField
          name="owners_of"
          label={words.ownersOf}
          hint={words.ownersOfHint}
          options={[['', words.everybody], ...titles]}
        />
      )}
      {isAdministrator && (
        <ChoiceField name="site" type="checkbox" label={words.site} options={[['yes', words.ofSite]]} />
      )}
    </>
  );
}
