import { type DeliveryState, type Fault, mostAttempts } from '../../../../core/webhooks/delivery.ts';
import { type EndpointState, endpointLimits, type Subscription } from '../../../../core/webhooks/endpoint.ts';
import { readableNumber } from '../../ui/numbers.ts';

const times = (count: number) => (count === 1 ? 'once' : `${readableNumber(count)} times`);

/** The texts of the pages for sellers about their webhooks. */
export const words = {
  add: 'New webhook',
  list: 'List of webhooks',
  pages: 'Pages of the list',
  noneTitle: 'Let your own systems know',
  none: {
    live: 'When a license is issued, activated or revoked, Latchkey can tell your shop, your chat or your accounting at once. Enter the address that should receive the events.',
    test: 'Test webhooks get the events of test licenses only. Try out your receiver here before it gets live data.',
  },
  inSandbox: {
    lead: 'A sandbox sends nothing to addresses. Fetch the events on your own computer instead.',
    label: 'Command',
    command: 'latchkey webhooks listen',
    guide: 'How to install the command, and how to sign in',
  },
  first: 'Add your first webhook',
  guide: 'How to receive webhooks',
  columns: { url: 'Address', events: 'Events', state: 'State', sent: 'Last 7 days' },
  countOf: (events: Subscription) =>
    events === '*' ? 'All events' : events.length === 1 ? events[0] : `${events.length} events`,
  sentIn: (delivered: number, failed: number) =>
    delivered + failed === 0
      ? 'Nothing sent'
      : failed === 0
        ? `${readableNumber(delivered)} delivered`
        : `${readableNumber(delivered)} delivered, ${readableNumber(failed)} failed`,
  states: {
    on: 'On',
    failing: 'Failing',
    failed: 'Failed',
    off: 'Off',
  } as const satisfies Record<EndpointState, string>,
  /** A webhook without an address, whose events are fetched. */
  listener: 'Listener',
  listens: 'Listens',
  isFetched: 'Events are fetched',
  noAddress: 'None. A program fetches the events, such as latchkey webhooks listen.',
  listenerMeaning: {
    on: 'A program fetches the events. A day after it ends, this listener goes away by itself.',
    off: 'You have switched it off. It gets no events.',
  },
  /** Explanations of the states, below the title. */
  meaning: {
    on: 'Events are sent to this address.',
    failing: 'The last attempt failed. An event that fails is sent again, up to five times.',
    failed: 'At least one event could not be delivered. You can send it again below.',
    off: 'You have switched it off. Nothing is sent to this address.',
    offByFailures:
      'It was switched off because every attempt of five days failed. Repair your receiver, and switch it on. Then send the failed events again.',
  },
  since: 'Failing since',
  never: 'Nothing was sent to this address in this time. Send a sample to see if it answers.',

  newTitle: 'New webhook',
  editTitle: 'Edit webhook',
  submit: 'Add webhook',
  save: 'Save changes',
  url: 'Address',
  urlHint:
    'Latchkey sends each event to this address, as a POST request. It must begin with https://, and be on the public internet.',
  noUrl: 'Enter an address.',
  description: 'Note',
  descriptionHint: 'Optional. Only you see it.',
  product: 'Product',
  productHint: 'Id or slug of one of your products. Leave it empty for all.',
  allProducts: 'All products',
  unknownProduct: 'You have no such product.',
  which: 'Events',
  choose: 'Choose one of these.',
  choices: {
    all: 'All, and those that later versions add',
    some: 'Only these',
  },
  allHint:
    '“All” leaves out license.verified, which can come once a minute for each domain. To get it, choose it by name.',
  events: 'Events to send',
  noEvents: 'Choose at least one event.',
  optIn: '“All” leaves it out.',
  tooMany: `You have ${endpointLimits.perAccount} webhooks already. Delete one that you no longer need.`,

  made: {
    title: 'Your webhook is ready',
    lead: 'With this secret, your receiver checks that an event comes from here. Put it into the settings of your receiver, and tell nobody.',
    toWebhook: 'Go to the webhook',
  },

  facts: {
    title: 'Settings',
    url: 'Address',
    events: 'Events',
    product: 'Product',
    description: 'Note',
    secret: 'Secret',
    oldSecret: 'Old secret valid until',
    added: 'Added',
    shown: 'Show',
    changed: 'Change',
    ofSecret: 'the secret',
  },
  edit: 'Edit',
  switchOn: 'Switch on',
  switchOff: 'Switch off',
  remove: 'Delete',
  sample: 'Send a sample',

  secret: {
    title: 'Show the secret',
    lead: 'Anybody who knows the secret can send events that look as if they came from here. The audit trail records that you looked at it.',
    submit: 'Show the secret',
    shownTitle: 'The secret of this webhook',
    label: 'Secret',
  },
  rotate: {
    title: 'Change the secret',
    lead: 'The webhook gets a new secret. You have 24 hours to put it into your receiver: until then, webhook-signature also has a signature with the old secret. X-Service-Signature uses only the new one, at once.',
    submit: 'Make a new secret',
    shownTitle: 'The new secret of this webhook',
    shownLead: 'Put it into your receiver within 24 hours.',
  },
  removal: {
    title: 'Delete webhook',
    lead: 'Nothing more is sent to this address, and the list of its deliveries is deleted. To stop for a while, switch it off instead.',
    submit: 'Delete webhook',
  },
  test: {
    title: 'Send a sample',
    lead: 'The sample is about one of your products, and about a license that does not exist. It is sent at once, even if the webhook does not get such events.',
    event: 'Event',
    submit: 'Send sample',
  },
  replay: {
    title: 'Send events again',
    lead: 'All events of this time are sent again, even those that have arrived. They keep their webhook-id, so your receiver can recognize them.',
    since: 'From',
    ranges: {
      '1': 'The last hour',
      '24': 'The last 24 hours',
      '72': 'The last 3 days',
      '168': 'The last 7 days',
      '336': 'The last 14 days, which is all that is kept',
    },
    submit: 'Send again',
  },
  isOff: 'The webhook is off. Switch it on first.',
  sentTooOften: `It was sent ${mostAttempts} times already, and cannot be sent again.`,
  changedMeanwhile: 'The webhook was changed meanwhile. Load the page again.',

  health: {
    title: 'The last 7 days',
    plot: 'Requests',
    unit: 'per day',
    delivered: 'Delivered',
    failed: 'Failed',
    lead: 'Each attempt is a request. A day begins at midnight UTC.',
    faults: 'Events that could not be delivered',
    fault: 'Reason',
    count: 'Events',
  },

  deliveries: {
    title: 'Deliveries',
    newest: 'Newest deliveries',
    all: 'All deliveries',
    list: 'List of deliveries',
    pages: 'Pages of deliveries',
    kept: 'What was sent is kept for 14 days.',
    event: 'Event',
    state: 'State',
    from: 'From',
    to: 'To',
    at: 'Time',
    id: 'webhook-id',
    tries: 'Attempts',
    sample: 'Sample',
    none: 'No deliveries',
    noneAdvice: 'When something happens to one of your licenses, you see here what was sent and what came back.',
    noneFound: 'No such delivery',
    noneFoundAdvice: 'No delivery of the last 14 days matches these filters.',
    states: {
      waiting: 'Waiting',
      delivered: 'Delivered',
      failed: 'Failed',
    } as const satisfies Record<DeliveryState, string>,
    tried: (count: number) => (count === 0 ? 'Not tried yet' : `Tried ${times(count)}`),
  },
  delivery: {
    next: 'Next attempt',
    redeliver: 'Send again',
    attempts: 'Attempts',
    isFetched: 'Nothing is sent: a program fetches it.',
    noAttempts: 'It is not sent yet. Load this page again in a few seconds.',
    body: 'Body',
    bodyLead: 'Exactly as it is sent. The signature covers these bytes.',
    number: (number: number) => `Attempt ${number}`,
    took: (milliseconds: number) =>
      milliseconds < 1_000 ? `${milliseconds} ms` : `${(milliseconds / 1_000).toFixed(1)} s`,
    time: 'Time',
    duration: 'Duration',
    status: 'Status',
    request: 'Request',
    response: 'Answer',
    noResponse: 'There was no answer.',
    emptyResponse: 'The answer has no body.',
    withoutSignatures: 'Without the signatures',
  },
  faults: {
    dns: 'Name not found',
    blocked_address: 'Address not allowed',
    refused: 'No connection',
    tls: 'TLS failed',
    timeout: 'Too slow',
    cut_off: 'Connection lost',
    status: 'Wrong status',
    redirect: 'Redirect',
    bad_answer: 'Unreadable answer',
    url_not_allowed: 'URL not allowed',
  } as const satisfies Record<Fault, string>,
} as const;
