import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { writeOrders } from '../../adapters/csv/order-sheet.ts';
import { words as buying } from '../../adapters/http/dashboard/buying/words.ts';
import { words } from '../../adapters/http/dashboard/orders/words.ts';
import { orderStates } from '../../core/purchases/order.ts';

async function* noOrders(): AsyncGenerator<never[]> {}

/** Returns the two names of each state in the table of the guide: for buyers, and for sellers. */
async function namesInGuide(): Promise<string[][]> {
  const text = await readFile(new URL('../../apps/docs/buying.md', import.meta.url), 'utf8');
  const [, part = ''] = text.split('## States of an order\n');
  const [, table = ''] = /\| State \| Sellers see \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(part) ?? [];
  return table
    .trimEnd()
    .split('\n')
    .map((row) => row.split('|').slice(1, 3))
    .map((names) => names.map((name) => name.trim().toLowerCase()));
}

describe('the guide to the file of orders', () => {
  it('names its columns, in their order', async () => {
    const text = await readFile(new URL('../../apps/docs/selling.md', import.meta.url), 'utf8');
    const [, part = ''] = /\*\*The CSV file\*\* has the columns ([^.]*)\./.exec(text) ?? [];
    const named = part.replaceAll(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g);
    let head = '';
    for await (const lines of writeOrders(noOrders())) head += lines;
    expect(Array.from(named, ([, name]) => name)).to.deep.equal(head.trim().split(','));
  });
});

describe('the guide to the states of an order', () => {
  it('names each state as the pages of buyers and of sellers do', async () => {
    const names = orderStates.map((state) => [buying.states[state].name, words.states[state]]);
    expect(await namesInGuide()).to.deep.equal(names.map((pair) => pair.map((name) => name.toLowerCase())));
  });
});
