import type { Order } from '../../core/purchases/order.ts';
import type { PaymentFacts } from '../../core/purchases/payment.ts';
import { day } from '../../core/time.ts';
import { nextMonth, type SubscriptionWorld } from './subscription-history.ts';

/** What each offer gives, written down once more. */
const plans: Record<string, { domains: number; grace: number; keptAfter: number; isTeam: boolean }> = {
  trial: { domains: 2, grace: 0, keptAfter: Number.POSITIVE_INFINITY, isTeam: false },
  monthly: { domains: 3, grace: 7, keptAfter: Number.POSITIVE_INFINITY, isTeam: false },
  small: { domains: 1, grace: 7, keptAfter: Number.POSITIVE_INFINITY, isTeam: false },
  team: { domains: 20, grace: 7, keptAfter: Number.POSITIVE_INFINITY, isTeam: true },
  kept: { domains: 3, grace: 3, keptAfter: 3, isTeam: false },
};
const planOf = (slug: string) => {
  const plan = plans[slug];
  if (plan === undefined) throw new Error(`There is no plan ${slug}.`);
  return plan;
};

export function isTakenBack({ dispute, refunded, total }: PaymentFacts): boolean {
  return dispute === 'lost' || (total > 0 && refunded >= total);
}

/**
 * The license as somebody would work it out with a calendar, on which each payment that stands marks its days, one by one. The
 * terms are those of what was begun last.
 */
export function subscriptionModel(world: SubscriptionWorld, all: readonly Order[]) {
  const orderOf = (cause: string) => all.find(({ id }) => cause === `order:${id}`);
  const falls = (order: Order): boolean =>
    isTakenBack(world.factsOf(order, all)) ||
    (order.agreed.offer?.builtOn ?? []).some((cause) => {
      const under = orderOf(cause);
      return under !== undefined && falls(under);
    });

  const calendar = new Set<number>();
  let [root, slug, domains, months, anchor, begins] = ['', '', 0, 0, 0, 0];
  let [runs, isKept, isHandLast, isTeam] = [false, false, false, false];
  let hand: number | undefined;
  const end = () => (calendar.size === 0 ? begins : (Math.max(...calendar) + 1) * day);
  const mark = (from: number, to: number) => {
    for (let at = from; at < to; at += day) calendar.add(at / day);
  };
  const isForEver = () => isKept || months >= planOf(slug).keptAfter;
  const get = (to: string) => {
    const plan = planOf(to);
    isKept = slug !== '' && isForEver() && plan.domains <= domains && (isTeam || !plan.isTeam);
    [slug, domains, isTeam] = [to, plan.domains, plan.isTeam];
  };

  for (const one of world.noted) {
    if (!('order' in one)) {
      if (one.end !== undefined) [hand, isHandLast, isKept] = [one.end, true, false];
      if (one.domains !== undefined) domains = one.domains;
      continue;
    }
    const { order, wasCancelled } = one;
    const { offer } = order.agreed;
    const to = offer?.slug ?? '';
    const paidAt = order.paidAt ?? 0;
    const isVoid = falls(order);
    if (order.cycleOf === null) {
      const isFirst = order.licenseKey !== null;
      if (isVoid && !isFirst) continue;
      calendar.clear();
      get(to);
      [root, hand, isHandLast, months] = [String(order.id), undefined, false, 0];
      begins = (offer?.builtOn ?? []).length > 0 ? order.createdAt : paidAt;
      anchor = begins;
      if (isVoid) continue;
      runs = true;
      months = 1;
      mark(begins, to === 'trial' ? begins + 14 * day : nextMonth(begins, anchor));
      continue;
    }
    if (isVoid || String(order.cycleOf) !== root) continue;
    const grace = wasCancelled ? 0 : planOf(slug).grace * day;
    const span = offer?.span;
    if (span) mark(span.from, span.to);
    else {
      const from = paidAt <= end() + grace ? end() : paidAt;
      if (from === paidAt && paidAt !== end()) anchor = paidAt;
      const until = from === anchor ? nextMonth(from, anchor) : nextMonth(from, anchor);
      mark(from, until);
    }
    [runs, isHandLast] = [true, false];
    // A payment for another offer is no month of the one before.
    if (offer?.isChange && to !== slug) get(to);
    months += 1;
  }

  const current = all.find(({ id }) => String(id) === root);
  const isCancelled = current?.subscription?.isCancelled ?? false;
  const grace = isCancelled ? 0 : planOf(slug).grace * day;
  const paid = end() + grace;
  const expiresAt = isHandLast && hand !== undefined ? hand : isForEver() ? null : Math.max(hand ?? 0, paid);
  const isDoubtful = all.some((order) => {
    const facts = order.paidAt === null ? undefined : world.factsOf(order, all);
    return facts?.dispute === 'open' && !isTakenBack(facts);
  });
  const standing = isDoubtful ? 'suspended' : runs ? 'active' : 'revoked';
  return { root, standing, maxDomains: domains, expiresAt, updatesUntil: end(), paidTo: end(), isRevoked: !runs };
}
