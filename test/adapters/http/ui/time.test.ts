import { expect } from 'chai';
import fc from 'fast-check';
import { shortDay, shortNumber } from '../../../../adapters/http/ui/numbers.ts';
import { readableTime } from '../../../../adapters/http/ui/time.tsx';
import { itLong } from '../../../support/required-service.ts';

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const minute = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' });
const short = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const compact = new Intl.NumberFormat('en', { notation: 'compact' });

describe('times and numbers for people', () => {
  itLong('are those of Intl, also when they are remembered', () => {
    const instant = fc.integer({ min: Date.UTC(1970), max: Date.UTC(9999, 11, 31) });
    fc.assert(
      fc.property(instant, fc.nat({ max: 20_000 }), (at, number) => {
        for (let again = 0; again < 2; again++) {
          expect(readableTime(at)).to.equal(`${day.format(at)}, ${minute.format(at)} UTC`);
          expect(shortDay(new Date(at).toISOString().slice(0, 10))).to.equal(short.format(at));
          expect(shortNumber(number)).to.equal(compact.format(number));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
