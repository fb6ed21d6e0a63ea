import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { words } from '../../../../adapters/http/dashboard/webhooks/words.ts';
import { faults } from '../../../../core/webhooks/delivery.ts';
import { webhookEvents, webhookEventTypes } from '../../../../core/webhooks/webhook-event.ts';

const guide = await readFile(new URL('../../../../apps/docs/webhooks.md', import.meta.url), 'utf8');
/** The cells of the table rows that begin with this pattern. */
const rows = (first: RegExp) =>
  guide
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([before, cell = '']) => before === '' && first.test(cell));

describe('the guide to webhooks', () => {
  it('lists every event, in the order of the API reference, with its meaning first', () => {
    const listed = rows(/^`(license|order|subscription|product)\.\w+`$/);
    expect(listed.map(([, type]) => type)).to.deep.equal(webhookEventTypes.map((type) => `\`${type}\``));
    for (const [n, type] of webhookEventTypes.entries())
      expect(listed[n]?.[2]).to.match(new RegExp(`^${webhookEvents[type]}`));
  });

  it('explains every reason of a failure, under the name that the pages give it', () => {
    const listed = rows(/ \(`\w+`\)$/).map(([, name]) => name);
    expect(listed).to.have.members(faults.map((fault) => `${words.faults[fault]} (\`${fault}\`)`));
  });
});
