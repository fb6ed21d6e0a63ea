import type { Abort } from '../abort.ts';
import { baseCurrency } from '../currency.ts';
import { type By, event } from '../events/event.ts';
import type { Letter } from '../mail/letter.ts';
import { OutcomeUnknown } from '../outcome-unknown.ts';
import type { News } from '../ports/change.ts';
import type { Instant } from '../ports/clock.ts';
import type { NewOrder } from '../ports/order-store.ts';
import type { PaymentProvider, ReturnAddresses } from '../ports/payments.ts';
import { isRefused, type Refused } from '../refusal.ts';
import { Unavailable } from '../unavailable.ts';
import { cancelling, isPaidInstead } from './instead.ts';
import { firstLookAt, lostAfter, waitsUntil } from './lapse.ts';
import { newParts, type Sold } from './new-order.ts';
import { aboutOrder, isBundle, type Order } from './order.ts';
import { countLetterTo, countRecorderLetter } from './order-limits.ts';
import { newsToRecorders, sending } from './order-news.ts';
import { newOrderToken } from './order-token.ts';
import { referenceOf } from './reference.ts';
import { serves } from './served.ts';
import { createLearn, type OrderPorts } from './settle.ts';
import type { UsdcWay } from './usdc-way.ts';
import type { PaymentSettings } from './ways-to-pay.ts';

/** An order with the place where the buyer goes on: the provider's page, or the page of the order. */
export interface Begun {
  readonly order: Order;
  readonly payAt: string | undefined;
}

type Addresses = (order: Order) => ReturnAddresses;

/** Adds orders, and asks for their payment. */
interface Placing {
  /** `earlier` is the token of an order that is cancelled if this one takes its place. `contents`: see `Sold`. */
  add(
    made: NewOrder,
    by: By,
    earlier: string | undefined,
    contents?: Sold['contents'],
  ): Promise<Order | Refused<'already_bought' | 'coupon_used_up' | 'unknown_coupon'>>;
  /**
   * Tells the buyer how to pay, or prepares the provider's page. Throws `Unavailable` if the provider cannot be asked: then
   * nothing was paid, and the order is closed.
   */
  askToPay(order: Order, by: By, addresses: Addresses): Promise<Begun>;
  /** Closes an order whose payment never began. */
  close(order: Order, by: By): Promise<void>;
  /** Asks the provider for its page. */
  start(order: Order, asked: PaymentProvider, by: By, addresses: Addresses, until: Abort): Promise<Begun>;
}

export interface PlacingPorts extends OrderPorts {
  readonly settings: Pick<PaymentSettings, 'provider' | 'manual'>;
  readonly usdc: UsdcWay;
}

export function createPlacing(ports: PlacingPorts): Placing {
  const { store, settings, clock, secrets, within } = ports;
  const learn = createLearn(ports);

  /** Prepares to tell those who will record the payment. */
  async function recorderNews(made: NewOrder, now: Instant): Promise<(added: Order) => News> {
    const [people, tooMany] = await Promise.all([ports.recorders(made), countRecorderLetter(ports)]);
    return (added) => newsToRecorders(people, added, tooMany === undefined, { write: ports.write, now });
  }

  /**
   * Closes an order whose payment never began: nobody has got the address of a page on which to pay it. The provider
   * may have prepared a payment all the same. So it is asked soon, and such a payment opens the order again. If this fails
   * too, the order lapses like one that nobody pays.
   */
  async function close({ id }: Order, by: By): Promise<void> {
    const ended = ({ paymentId, payment }: Order) =>
      paymentId === null && payment.status === 'open' ? { payment: { ...payment, status: 'expired' } as const } : {};
    try {
      await learn(id, ended, by);
      await store.lookAt(id, clock.now() + lostAfter);
    } catch (error) {
      if (!(error instanceof Unavailable || error instanceof OutcomeUnknown)) throw error;
    }
  }

  async function sendInstructions(order: Order): Promise<void> {
    const { instructions = '' } = settings.manual ?? {};
    await store.change(order.id, (before) => {
      const about = { ...aboutOrder(before), isBundle: isBundle(before) };
      const letter: Letter =
        before.provider === 'usdc'
          ? { kind: 'order-usdc', ...about, waitsUntil: waitsUntil(before) }
          : { kind: 'order-instructions', ...about, instructions, reference: referenceOf(before) };
      return sending(before, letter, { actor: before.provider }, { write: ports.write, now: clock.now() });
    });
  }

  async function start(
    order: Order,
    asked: PaymentProvider,
    by: By,
    addresses: Addresses,
    until: Abort,
  ): Promise<Begun> {
    const { paymentId, payAt } = await asked.start(order, addresses(order), until);
    const after = await learn(order.id, { paymentId }, by);
    return { order: after === undefined || isRefused(after) ? order : after, payAt };
  }

  return {
    async add(made, by, earlierToken, contents) {
      const { provider, agreed, renews, createdAt: now } = made;
      const { slug, price, currency, offer, discount } = agreed;
      const chosen = {
        ...(currency !== baseCurrency && { currency }),
        ...(offer && { offer: offer.slug }),
        ...(renews && { renews }),
        ...(discount && { coupon: discount.code }),
      };
      const told = event('order.added', slug, by, now, { provider, price, ...chosen });
      const newsOf = provider === 'manual' && price > 0 ? await recorderNews(made, now) : undefined;
      const earlier = earlierToken === undefined ? undefined : await store.findByToken(earlierToken);
      const instead =
        earlier && isPaidInstead(earlier, made) ? { id: earlier.id, decide: cancelling(by, now, secrets) } : undefined;
      const parts = contents && newParts(made, contents, () => newOrderToken(secrets));
      const isProved = discount !== undefined && (await ports.isProved(made.buyer));
      return await store.add(made, told, firstLookAt(made), { newsOf, instead, parts, isProved });
    },

    async askToPay(order, by, addresses) {
      const isPaidByHand = order.provider === 'manual' || order.provider === 'usdc';
      if (isPaidByHand && !(await countLetterTo(ports, order.buyer))) await sendInstructions(order);
      if (order.provider === 'usdc') await ports.usdc.begin(order);
      const { provider } = settings;
      if (!serves(provider, order)) return { order, payAt: undefined };
      try {
        return await within((until) => start(order, provider, by, addresses, until));
      } catch (error) {
        await close(order, by);
        throw error;
      }
    },

    close,
    start,
  };
}
