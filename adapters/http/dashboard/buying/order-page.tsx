import type { VNode } from 'preact';
import { correctableUntil } from '../../../../core/purchases/billing.ts';
import { isAnyTakenBack, isUsable, type Order } from '../../../../core/purchases/order.ts';
import { isRunning } from '../../../../core/purchases/subscription.ts';
import { isRefused } from '../../../../core/refusal.ts';
import { Unavailable } from '../../../../core/unavailable.ts';
import { Failure } from '../../failures.ts';
import type { Endpoint } from '../../surface.ts';
import { describeNotes } from '../../ui/description.tsx';
import { sendPrivateText } from '../../ui/send-page.ts';
import { SubscriptionTag } from '../../ui/subscription-tag.tsx';
import { DeployedPart, deployedByReader } from '../deployments/of-license.tsx';
import { goTo, leaveTo, shown } from '../kit/answer.ts';
import { click } from '../kit/form.ts';
import { admit, type DashboardTools, orFail, page, type Visit } from '../kit/page.ts';
import { choicesIn } from '../kit/query.ts';
import { askPages } from './ask.tsx';
import { billingPages } from './billing.tsx';
import { buyPages } from './buy.tsx';
import { DownloadsPart, downloadEndpoints, versionsOnPage } from './downloads.tsx';
import { type BuyingTools, OrderFrame, orderIn, pathOf, returned, returnTo } from './frame.tsx';
import { invoicePages } from './invoice.tsx';
import { buyerDomainPages, DomainsPart, KeyPart } from './license.tsx';
import { orderFacts } from './order-facts.tsx';
import { OfBundle, PartsPart, partsIn } from './parts.tsx';
import { buyerProofPage } from './prove.tsx';
import { purchasesPage } from './purchases.tsx';
import { RatingPart, ratePages } from './rate.tsx';
import { renewPages } from './renew.tsx';
import { RenewedPart, RenewPart } from './renew-part.tsx';
import { buyerKeyPage } from './rotate.tsx';
import { isAwaited, StatePart, waitsForTransfer } from './state-part.tsx';
import {
  needsBuyer,
  offerNow,
  offersTitle,
  SubscriptionPart,
  standingFor,
  subscriptionPages,
} from './subscription.tsx';
import { testPaymentPages } from './test-payment.tsx';
import { describedNow, SellerPart } from './try-part.tsx';
import { transactionOf } from './usdc-ask.tsx';
import { isReceipt, isShort, UsdcPart, usdcPages, waitsForUsdc } from './usdc-part.tsx';
import { WhyPart } from './why-part.tsx';
import { words } from './words.ts';

const { order: names } = words;

/** The pages for buyers. */
export function buyingPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  return [
    ...buyPages(tools, own),
    ...renewPages(tools, own),
    ...subscriptionPages(tools, own),
    ...askPages(tools, own),
    ...boughtOrderPages(tools, own),
    ...buyerDomainPages(tools, own),
    ...buyerProofPage(tools, own),
    ...buyerKeyPage(tools, own),
    ...downloadEndpoints(tools, own),
    ...invoicePages(tools, own),
    ...billingPages(tools, own),
    ...testPaymentPages(tools, own),
    ...usdcPages(tools, own),
    ...ratePages(tools, own),
    ...purchasesPage(tools, own),
  ];
}

/** The page of an order for its buyer, with everything that was bought. */
function boughtOrderPages(tools: DashboardTools, own: BuyingTools): Endpoint[] {
  return [
    page(tools, {
      id: 'order',
      path: '/orders/:token',
      audience: 'anybody',
      async show(visit) {
        const { domain, before, tx } = choicesIn(visit, 'domain', 'before', 'tx');
        const isReturning = visit.query[returned] !== undefined;
        const order = await nowOf(own, await orderIn(own, visit), isReturning);
        const place = /^[1-9]\d{0,8}$/.test(before) ? Number(before) : undefined;
        const [
          license,
          explanation,
          found,
          template,
          described,
          rated,
          quotes,
          original,
          subscription,
          parts,
          bundle,
          usdc,
          asked,
          deployed,
        ] = await Promise.all([
          own.licenses.show(order),
          domain === '' ? undefined : own.licenses.explain(order, domain, visit.from.address),
          own.files.versions(order, { before: place, limit: versionsOnPage }),
          own.files.template(order),
          isUsable(order) && order.renews === null ? describedNow(own, order) : undefined,
          own.ratings.ofBuyer(order),
          own.renewing.list(order),
          own.purchases.originalOf(order, visit.me?.login.id),
          own.subscribing.of(order),
          partsIn(own, order),
          own.purchases.bundleOf(order, visit.me?.login.id),
          own.usdc.show(order),
          transactionOf(own, order, tx),
          deployedByReader(own.deployments, order, visit.me?.login.id),
        ]);
        const notes = await describeNotes(found.versions, own.baseUrl, 3);
        const { root } = visit.frame;
        const isWaiting = isAwaited(order, isReturning);
        const isWatched = isWaiting || waitsForTransfer(order) || waitsForUsdc(order);
        const isFirst = license?.endsSoon === true || subscription !== undefined;
        const renewing = (
          <RenewPart
            order={order}
            quotes={quotes}
            root={root}
            {...(subscription && {
              title: offersTitle(subscription),
              current: offerNow(subscription),
            })}
          />
        );
        const subscribed = subscription && (
          <SubscriptionPart found={subscription} page={order} license={license?.license} root={root} />
        );
        const isUrgent = order.state === 'paid' && subscription !== undefined && needsBuyer(subscription);
        // These say another thing than the state.
        const isOtherwise = usdc !== undefined && (isShort(order, usdc) || (usdc.isPaused && order.state === 'open'));
        const isOver = isUrgent && subscription.order.subscription?.status === 'ended';
        const isTakenBack = isAnyTakenBack(
          order,
          parts.map((part) => part.order),
        );
        // What has happened is said before how to pay.
        const isSaidFirst = !isOtherwise && (isTakenBack || (order.state !== 'open' && !isUrgent));
        const isProof = usdc !== undefined && isReceipt(order, usdc);
        const inUsdc = usdc && <UsdcPart order={order} usdc={usdc} root={root} asked={asked} />;
        const instructions = { instructions: own.instructions, isReturning, sendsMail: tools.sendsMail };
        const state = <StatePart {...{ order, isTakenBack, usdc, root }} {...instructions} />;
        return shown(
          <OrderFrame
            visit={visit}
            order={order}
            scripts={[
              'copy.js',
              ...(isWatched ? (['wait.js'] as const) : []),
              ...(usdc ? (['wallet.js'] as const) : []),
            ]}
            head={isWaiting && <Waiting />}
            tag={order.state === 'paid' && subscription && <SubscriptionTag state={standingFor(subscription)} />}
            aside={orderFacts(
              order,
              license,
              visit.frame,
              subscription !== undefined && isRunning(subscription.order),
              correctableUntil(order, tools.clock.now()) !== undefined,
            )}
          >
            {isSaidFirst && state}
            {!isProof && inUsdc}
            {isUrgent && subscribed}
            {!isUrgent && !isOtherwise && !isSaidFirst && state}
            {isOver && renewing}
            {isWatched && <p hidden data-wait={`${root}${pathOf(order)}/state`} data-state={order.state} />}
            {license && (
              <KeyPart
                order={order}
                license={license}
                root={root}
                sendsMail={tools.sendsMail}
                licenseApi={own.licenseApi}
              />
            )}
            {parts.some((part) => part.order.licenseKey !== null) && <PartsPart parts={parts} root={root} />}
            {bundle && <OfBundle found={bundle} root={root} />}
            {original && <RenewedPart original={original} isPayment={order.cycleOf !== null} root={root} />}
            {!isUrgent && subscribed}
            {isFirst && !isOver && renewing}
            {license && isUsable(order) && (
              <DownloadsPart
                order={order}
                found={found}
                notes={notes}
                template={template}
                isFirst={place === undefined}
                root={root}
              />
            )}
            {license && <DomainsPart order={order} license={license} root={root} />}
            {license && <DeployedPart deployed={deployed} root={root} />}
            {!isFirst && renewing}
            {license && (
              <WhyPart
                license={license.license}
                address={`${root}${pathOf(order)}`}
                typed={domain}
                explanation={explanation}
              />
            )}
            {isProof && inUsdc}
            <SellerPart described={described} />
            <RatingPart found={rated} order={order} root={root} />
          </OrderFrame>,
        );
      },
    }),

    click(tools, {
      id: 'order-send-key',
      path: '/orders/:token/send',
      audience: 'anybody',
      async act(visit: Visit) {
        if (!tools.sendsMail) throw new Failure('not_found');
        const order = await orderIn(own, visit);
        const sent = orFail(await own.purchases.sendAgain(order.token));
        return isRefused(sent) ? sent : goTo(pathOf(order), { notice: 'key_sent' });
      },
      refusals: { no_license_yet: names.noLicense, sent_just_now: names.sentJustNow },
    }),

    page(tools, {
      id: 'order-continue',
      path: '/orders/:token/continue',
      audience: 'anybody',
      async show(visit) {
        const order = await orderIn(own, visit);
        const payAt = await own.checkout.goOn(order.token, returnTo(own));
        return payAt === undefined ? goTo(pathOf(order)) : leaveTo(payAt);
      },
    }),

    {
      id: 'order-state',
      method: 'get',
      paths: ['/orders/:token/state'],
      async respond(ctx) {
        const visit = await admit(tools, ctx, 'anybody');
        if (visit) sendPrivateText(ctx, (await orderIn(own, visit)).state);
      },
    },
  ];
}

/**
 * Asks the provider for the state of the payment if the buyer comes from there. If that fails, its event will bring it.
 */
async function nowOf({ purchases }: BuyingTools, order: Order, isReturning: boolean): Promise<Order> {
  if (!isAwaited(order, isReturning)) return order;
  try {
    return await purchases.look(order);
  } catch (error) {
    if (error instanceof Unavailable) return order;
    throw error;
  }
}

/** Seconds between two looks of a page that waits, in a browser without scripts. With `wait.js`, the page stays. */
const every = 8;

/** Loads the page again and again, without scripts. */
function Waiting(): VNode {
  return (
    <noscript>
      <meta http-equiv="refresh" content={String(every)} />
    </noscript>
  );
}
