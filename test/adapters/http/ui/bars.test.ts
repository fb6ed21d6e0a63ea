import { expect } from 'chai';
import { layBars, ticksUpTo } from '../../../../adapters/http/ui/bars.ts';

describe('the layout of a plot', () => {
  it('has whole, rounded values with the same distance, up to the highest bar', () => {
    const expected = {
      0: [0, 1],
      1: [0, 1],
      4: [0, 1, 2, 3, 4],
      5: [0, 2, 4, 6],
      12: [0, 5, 10, 15],
      999: [0, 500, 1000],
      1001: [0, 500, 1000, 1500],
      3456789: [0, 1_000_000, 2_000_000, 3_000_000, 4_000_000],
    };
    for (const [most, ticks] of Object.entries(expected)) expect(ticksUpTo(Number(most)), most).to.deep.equal(ticks);
  });

  it('reaches the highest bar in at most four steps, whatever its height', () => {
    for (let most = 0; most < 3_000_000; most = Math.ceil(most * 1.07 + 1)) {
      const ticks = ticksUpTo(most);
      expect(ticks.at(-1), String(most)).to.be.at.least(most);
      expect(ticks.length, String(most)).to.be.within(2, 5);
      expect(ticks.every(Number.isInteger), String(most)).to.equal(true);
    }
  });

  it('puts the upper part on the lower one, in hundredths of the height', () => {
    const { ticks, bars } = layBars([
      { lower: 0, upper: 0 },
      { lower: 2, upper: 1 },
      { lower: 4, upper: 0 },
    ]);
    expect(ticks.at(-1)).to.equal(4);
    expect(bars).to.deep.equal([
      { lower: { y: 100, height: 0 }, upper: { y: 100, height: 0 } },
      { lower: { y: 50, height: 50 }, upper: { y: 25, height: 25 } },
      { lower: { y: 0, height: 100 }, upper: { y: 0, height: 0 } },
    ]);
  });

  it('shows one call beside millions, and keeps every bar inside the plot', () => {
    const { bars } = layBars([
      { lower: 1, upper: 0 },
      { lower: 4_000_000, upper: 1 },
      { lower: 0, upper: 1 },
    ]);
    for (const { lower, upper } of bars) {
      expect(upper.y).to.be.at.least(0);
      expect(lower.y + lower.height).to.equal(100);
      expect(upper.y + upper.height).to.be.closeTo(lower.y, 1e-9);
    }
    expect([bars[0]?.lower.height, bars[1]?.upper.height, bars[2]?.upper.height]).to.deep.equal([1, 1, 1]);
  });
});
