import type { DeploymentState } from '../../../../core/deployments/deployment-state.ts';

/** The guide about deployments, from the site's first page. */
export const guidePath = 'docs/account-api#deployments';

/** How many days the figures can show. */
export const figureDays = ['7', '30', '90', '365'] as const;

/** The name and the meaning of each state of a deployment. `tone` is the CSS class of its mark. */
const states = {
  unchecked: {
    name: 'Not checked yet',
    tone: 'busy',
    text: 'It is compared with the chain as soon as its block can no longer go away.',
  },
  confirmed: {
    name: 'Confirmed',
    tone: 'good',
    text: 'The transaction created this contract. If codes are registered for the template, it has one of them.',
  },
  reverted: { name: 'Failed', tone: 'bad', text: 'The transaction failed, so it created nothing.' },
  not_found: { name: 'Not found', tone: 'bad', text: 'No block had the transaction for a day.' },
  mismatch: {
    name: 'Other contract',
    tone: 'bad',
    text: 'There is no contract at the address, or it is older than the transaction, or no version of the product has its code.',
  },
  no_rpc: {
    name: 'Cannot be checked',
    tone: 'plain',
    text: 'This site has no connection to the chain. It is checked when there is one.',
  },
} as const satisfies Record<
  DeploymentState,
  { readonly name: string; readonly tone: 'good' | 'bad' | 'busy' | 'plain'; readonly text: string }
>;

/** The words of the pages about deployments. */
export const words = {
  states,
  chainOf: (id: number) => `Chain ${id}`,
  guide: 'How deployments are reported and checked',
  figures: {
    lead: 'How often the templates of your products were deployed: what buyers have reported, and what the chain confirms. Counted within some minutes.',
    allLead:
      'How often templates were deployed: what accounts have reported, and what the chain confirms. Counted within some minutes.',
    list: 'See the list',
    ranges: 'Time',
    range: { 7: '7 days', 30: '30 days', 90: '90 days', 365: 'A year' } as const satisfies Record<
      (typeof figureDays)[number],
      string
    >,
    /** The same in a sentence. */
    rangeIn: { 7: '7 days', 30: '30 days', 90: '90 days', 365: 'a year' } as const satisfies Record<
      (typeof figureDays)[number],
      string
    >,
    of: 'Deployments of',
    typed: 'Product (id or slug)',
    show: 'Show',
    reported: 'Reported',
    confirmed: 'Confirmed',
    reportedIn: (range: string) => `Reported in ${range}`,
    confirmedIn: (range: string) => `Confirmed in ${range}`,
    plot: 'Deployments',
    unit: 'reported and confirmed',
    first: 'First',
    last: 'Last',
    noneTitle: 'No deployments yet',
    noneAdvice:
      'They appear here when somebody deploys a template of your products and reports it with “latchkey deploy register”.',
    noneOfAll: 'They appear here when somebody deploys a template and reports it with “latchkey deploy register”.',
    noProduct: 'No product of yours has this id or slug.',
    exportOf: (what: string) => `of ${what}`,
    mostOf: (count: number) => `The ${count} with most deployments.`,
    parts: {
      chain: { title: 'By chain', name: 'Chain', lead: 'In the time chosen above.' },
      template: { title: 'By template', name: 'Template', lead: 'All that are kept, whatever time is chosen above.' },
      release: {
        title: 'By release',
        name: 'Product and version',
        lead: 'All that are kept and have the code of a release, so all are confirmed.',
      },
      account: {
        title: 'By account',
        name: 'Account',
        lead: 'All that are kept, by the account that reported them.',
      },
    },
    byDay: 'By day',
    otherChains: 'Other chains',
    noTemplate: 'No known template',
    accountOf: (id: number) => `Account ${id}`,
    needsProduct: 'Choose a product to see which accounts have deployed it.',
  },
  list: {
    title: 'List of deployments',
    lead: 'Each contract that was reported, the last one first.',
    ownLead: 'The contracts that your API keys have reported, and what the chain says of them.',
    contract: 'Contract',
    state: 'State',
    template: 'Template',
    transaction: 'Transaction',
    reported: 'Reported',
    account: 'Account',
    chain: 'Chain',
    day: 'Day (UTC)',
    templateTyped: 'Template (id or slug)',
    accountTyped: 'Account (number)',
    meaning: 'What the states mean',
    noneTitle: 'No deployments yet',
    noneAdvice:
      'Report a contract with “latchkey deploy register” or by the API, and see here what the chain says of it.',
    noneFound: { advice: 'Try other filters, or show everything.' },
    soFar: { title: 'Nothing found so far', advice: 'There are more to look at.', on: 'Look further' },
  },
  ofLicense: {
    title: 'Deployed contracts',
    lead: 'What the account of the buyer has deployed of the template of this product.',
    ownLead: 'What your account has deployed of the template of this product.',
    all: 'See all',
  },
} as const;
