import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { words as buying } from '../../adapters/http/dashboard/buying/words.ts';
import { words } from '../../adapters/http/dashboard/orders/words.ts';
import { orderStates } from '../../core/purchases/order.ts';

/** Returns the names in the first column of the table under a heading. A cell can have several, after commas. */
async function statesIn(guide: string, heading: string): Promise<string[]> {
  const text = await readFile(new URL(`../../apps/docs/${guide}`, import.meta.url), 'utf8');
  const [, part = ''] = text.split(`## ${heading}\n`);
  const [, table = ''] = /\| State \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(part) ?? [];
  const cells = table
    .trimEnd()
    .split('\n')
    .map((row) => row.split('|')[1] ?? '');
  return cells.flatMap((cell) => cell.split(',')).map((name) => name.trim().toLowerCase());
}

describe('the guides to orders', () => {
  it('name each state as the pages of buyers do', async () => {
    const names = orderStates.map((state) => buying.states[state].name.toLowerCase());
    expect((await statesIn('buying.md', 'States of an order')).toSorted()).to.deep.equal(names.toSorted());
  });

  it('name each state as the pages of sellers do', async () => {
    const names = orderStates.map((state) => words.states[state].toLowerCase());
    expect((await statesIn('selling.md', 'Orders and refunds')).toSorted()).to.deep.equal(names.toSorted());
  });
});
