import { readableNumber } from '../../ui/numbers.ts';
import { usageWords } from '../kit/usage.tsx';

/** The texts of the first page for sellers. */
export const words = {
  numbers: {
    active: 'Active licenses',
    issued: (days: number) => `Licenses issued in ${days} days`,
    domains: 'Active domains',
    verifications: (days: number) => `Verifications in ${days} days`,
  },
  /** A count that stopped. */
  atLeast: (count: number) => `${readableNumber(count)}+`,
  looked: (most: number) => `Active licenses are counted among your ${readableNumber(most)} oldest licenses.`,
  licenses: 'Licenses',
  lastDays: (days: number) => `Usage in the last ${days} days`,
  counted: 'Verifications and domains are counted once an hour, up to the last full hour. Days are days in UTC.',
  cut: (most: number) => `A day shows at most ${readableNumber(most)} licenses.`,
  plots: {
    verifications: { title: usageWords.verifications, unit: usageWords.days.verifications },
    domains: { title: usageWords.domains, unit: usageWords.days.domains },
    issued: { title: 'Licenses issued', unit: 'per day' },
  },
  details: {
    lacking: 'Your invoices name only you as the seller. Many companies need your address and tax ID on them.',
    enter: 'Enter your details',
  },
  attention: 'Products that are not published yet',
  product: 'Product',
  state: 'State',
  next: 'What to do',
  waits: 'Nothing. You get a message when an administrator has looked at it.',
  rejected: 'Read the reason, change the product and send it again.',
  toRejected: 'See the reason',
  newest: 'Newest licenses',
  issued: 'Issued',
  expiring: (days: number) => `Licenses that expire in the next ${days} days`,
  unused: 'No site has checked a license in this time.',
  toExamples: 'How your code checks the license key',
  seeAll: 'All licenses',
  seeExpiring: 'All that expire',
  steps: {
    title: { live: 'Sell your first license', test: 'Try it out with test data' },
    lead: {
      live: 'Three steps, and your first customer can use your product.',
      test: 'Test products are never public, and test licenses work like live ones. Nobody sees them but you.',
    },
    list: 'The first steps',
    done: 'Done',
    publish: {
      title: 'Publish a product',
      text: 'Upload a zip, describe what it does, and choose how many domains a license allows.',
      act: 'New product',
    },
    approve: {
      title: 'Get it approved',
      text: 'An administrator looks at each new product. You get a message with the answer.',
      act: 'See your products',
    },
    issue: {
      title: 'Issue a license',
      text: 'Your customer puts its key into the product. Here you see on which domains it is used.',
      act: 'Issue a license',
    },
  },
};
