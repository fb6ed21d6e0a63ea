import { expect } from 'chai';
import { toOrderId } from '../../../core/id.ts';
import { day, minute } from '../../../core/time.ts';
import { amountDue, type HeldQuote, isInTime, quotePaidBy, standingOf } from '../../../core/usdc/matching.ts';
import { cent, lateFor } from '../../../core/usdc/usdc-quote.ts';

const to = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const now = Date.UTC(2026, 0, 1);
const dollars = (amount: number) => Math.round(amount * 1_000_000);

function quote(id: number, amount: number, more: Partial<HeldQuote> = {}): HeldQuote {
  return {
    ...{ id, orderId: toOrderId(id), chainId: 8453, address: to, amount: dollars(amount) },
    ...{ createdAt: now, endsAt: now + day, received: 0, isAwaited: true },
    ...more,
  };
}

const paid = (amount: number, ...quotes: readonly HeldQuote[]) =>
  quotePaidBy({ to, amount: dollars(amount) }, quotes)?.id;

describe('which order USDC pays', () => {
  const [one, other] = [quote(1, 49.001234), quote(2, 99.007777)];

  it('is said by the exact amount, also if the rest of another order is the same', () => {
    expect(paid(49.001234, one, other)).to.equal(1);
    expect(paid(49.001234, quote(3, 50.001234, { received: dollars(1) }), one)).to.equal(1);
  });

  it('is said by the millionths, if a fee was taken or too much was sent', () => {
    expect([paid(48.001234, one, other), paid(120.007777, one, other)]).to.deep.equal([1, 2]);
  });

  it('is said by the amount that is near, if two orders have the same millionths', () => {
    const twin = quote(3, 79.001234);
    expect(paid(48.001234, one, twin)).to.equal(undefined);
    expect(paid(2.001234, { ...one, received: dollars(47) }, twin)).to.equal(1);
  });

  it('can be rounded if only one order that waits is meant', () => {
    expect([49, 49.01, 49.0012, 49.001].map((amount) => paid(amount, one, other))).to.deep.equal([1, 1, 1, 1]);
    expect(paid(49, one, quote(3, 49.005)), 'two wait').to.equal(undefined);
    expect(paid(49, one, quote(3, 49.005, { isAwaited: false })), 'the other one is cancelled').to.equal(1);
    expect(paid(49, quote(3, 49.005, { isAwaited: false })), 'only the late one').to.equal(3);
  });

  it('is not another one than its millionths say', () => {
    expect(paid(49.005678, one)).to.equal(undefined);
    expect(paid(49.00123, one)).to.equal(1);
    expect(paid(49.00125, one)).to.equal(undefined);
  });

  it('is never decided by a rest that somebody has made equal to the price of another order', () => {
    const prepared = { ...other, received: dollars(50.007777) };
    expect(paid(49, one, prepared)).to.equal(undefined);
    expect(paid(49.001234, one, prepared)).to.equal(1);
  });

  it('is none for another address, and for an order that has enough', () => {
    expect(
      quotePaidBy({ to: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359', amount: dollars(49.001234) }, [one]),
    ).to.equal(undefined);
    expect(paid(0.01, { ...one, received: one.amount })).to.equal(undefined);
  });

  it('comes after the quote; only its exact amount may come a minute before it', () => {
    const at = (offset: number, amount = one.amount) => isInTime(one, { amount, at: now + offset });
    expect([at(-minute), at(-minute - 1), at(day + lateFor - 1), at(day + lateFor)]).to.deep.equal([
      true,
      false,
      true,
      false,
    ]);
    expect([at(-1, dollars(49)), at(0, dollars(49))]).to.deep.equal([false, true]);
  });
});

describe('the rest of a payment in USDC', () => {
  it('says which order it pays, and is enough', () => {
    const one = quote(1, 49.001234);
    expect(amountDue(one, 0)).to.equal(one.amount);
    for (const received of [dollars(48.001234), dollars(48), dollars(10.999999), cent, one.amount - cent - 1]) {
      const due = amountDue(one, received);
      expect(due % cent).to.equal(one.amount % cent);
      expect(quotePaidBy({ to, amount: due }, [{ ...one, received }, quote(2, 99.007777)])).to.include({ id: 1 });
      const { status, surplus } = standingOf({ asked: one.amount, final: received + due, seen: 0, soft: 0 });
      expect([status, surplus], `after ${received}`).to.deep.equal(['paid', 0]);
    }
  });
});
