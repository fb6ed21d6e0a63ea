import { maxOverlap } from '../../../../core/accounts/api-key.ts';
import { longestKeyName, mostKeys } from '../../../../core/accounts/api-key-terms.ts';
import type { DayUse } from '../../../../core/ports/usage-log.ts';
import { counted, readableList, readableNumber, shortDay } from '../../ui/numbers.ts';

const calls = (count: number) => counted(count, 'call');
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** Such as “1,204 calls, and 3 more were refused because the plan’s limit was reached”. */
function inAll(days: readonly DayUse[]): string {
  const [done, refused] = [sum(days.map((day) => day.calls)), sum(days.map((day) => day.refused))];
  if (done + refused === 0) return 'No calls in the last 30 days.';
  const more = refused === 0 ? 'None was' : `${readableNumber(refused)} more ${refused === 1 ? 'was' : 'were'}`;
  return `${calls(done)} in the last 30 days. ${more} refused by the rate limits.`;
}

/** The words about the plan and its API keys. */
export const words = {
  planTitle: (name: string) => `${name} plan`,
  included: 'Included:',
  notIncluded: 'Not included:',
  contents: {
    label: 'What the plan includes',
    calls: (minute: number, day: number) =>
      `${readableNumber(minute)} API calls a minute, ${readableNumber(day)} a day`,
    unlimitedCalls: 'Unlimited API calls',
    storage: (bytes: string) => `${bytes} of storage for product files`,
    noStorage: 'Storage for product files',
    templates: (names: readonly string[]) => `${readableList(names)} templates`,
    testnets: 'Testnet deployments',
    features: {
      mainnet_deploy: (chains: readonly string[]) =>
        chains.length === 0 ? 'Mainnet deployments' : `Deployments to ${readableList(chains)}`,
      ai_review: 'AI review',
      marketplace_publish: 'Marketplace publishing',
      priority_support: 'Priority support',
    },
  },
  sold: {
    title: 'Upgrade your plan',
    soon: 'Your plan changes within a minute after the payment.',
    paid: (name: string) => `You have paid for the ${name} plan`,
    until: 'until',
    renew: 'See the order, or renew it',
    order: 'See the order',
    more: (name: string) => `What the ${name} plan adds`,
    upgrade: 'Upgrade',
    to: (name: string) => `to the ${name} plan`,
  },
  use: {
    title: 'API calls',
    minute: 'API calls per minute',
    inMinute: (used: number, limit: number) => `${readableNumber(used)} of ${readableNumber(limit)} this minute`,
    day: 'API calls per day',
    inDay: (used: number, limit: number) => `${readableNumber(used)} of ${readableNumber(limit)} in 24 hours`,
    dayEnds: 'Resets',
    storage: 'Storage',
    stored: (used: string, allowed: string) => `${used} of ${allowed}`,
    nothingStored: (used: string) => `${used}. Your plan does not include storage.`,
    unlimited: 'This site does not limit API calls.',
    inAll,
    legend: { calls: 'Calls', refused: 'Refused by the rate limits' },
    table: 'Show as a table',
    columns: { day: 'Day (UTC)', calls: 'Calls', refused: 'Refused' },
  },
  plot: {
    title: 'API calls in the last 30 days',
    description(days: readonly DayUse[]): string {
      const [first] = days;
      const most = [...days].sort((a, b) => b.calls + b.refused - (a.calls + a.refused))[0];
      if (first === undefined || most === undefined || most.calls + most.refused === 0) return inAll(days);
      return `One bar for each day since ${shortDay(first.day)}. ${inAll(days)} The busiest day was ${words.plot.day(most)}.`;
    },
    day: ({ day, calls: done, refused }: DayUse) =>
      `${shortDay(day)}: ${calls(done)}${refused === 0 ? '' : `, ${readableNumber(refused)} refused`}`,
  },
  keys: {
    title: 'API keys',
    lead: 'Your programs use API keys to call the API. Create a key for each program, so that you can revoke one without stopping the others.',
    make: 'New API key',
    ended: (count: number) => `Revoked and expired keys (${count})`,
    noneTitle: 'Connect your first program',
    none: 'With an API key, your programs can download templates, publish products and record deployments for you. Create a key, copy it into your program, and see its calls here.',
    noneWorks: 'You have no active API keys.',
    first: 'Create your first API key',
    modes: { live: 'Live', test: 'Test' },
    states: { active: 'Active', ending: 'Replaced', revoked: 'Revoked', expired: 'Expired' },
    allScopes: 'All scopes',
    someScopes: (count: number) => counted(count, 'scope'),
    created: 'Created',
    used: 'Last used',
    unused: 'Never used',
    expires: 'Expires',
    expired: 'Expired',
    neverExpires: 'Never expires',
    ends: 'Works until',
    revoked: 'Revoked',
    rotate: 'Rotate',
    revoke: 'Revoke',
  },
  key: {
    name: 'Key',
    state: 'State',
    never: 'Never',
    scopes: 'Scopes',
    successor: 'Replaced by',
    see: 'See the new key',
    allScopes: 'This key can do everything that your plan includes, and what later versions add.',
  },
  newKey: {
    title: 'New API key',
    name: 'Name',
    nameHint: 'What you use the key for, such as “Build server”.',
    mode: 'Mode',
    modes: {
      live: 'Live: for production. What it publishes can become public.',
      test: 'Test: to try things out. Its data is never public, and only test keys can see it.',
    },
    expiry: 'Expiration',
    expiries: {
      never: 'Never',
      30: 'In 30 days',
      90: 'In 90 days',
      365: 'In a year',
      date: 'On a date that you choose',
    },
    until: 'Last day',
    untilHint: 'The key works until the end of this day (UTC).',
    noDay: 'Choose a date.',
    pastDay: 'Choose today or a later date.',
    access: 'Access',
    accesses: {
      all: 'Everything that your plan includes',
      some: 'Only the scopes that you choose',
    },
    scopes: 'Scopes',
    noScopes: 'Choose at least one scope.',
    choose: 'Choose an option.',
    submit: 'Create key',
    invalidName: `The name must have 1 to ${longestKeyName} characters, without line breaks.`,
    tooMany: `You have reached the limit of ${mostKeys} active API keys. Revoke one that you do not use, then try again.`,
    sentTitle: 'This form was already sent',
    sent: 'The key was created and shown once. It cannot be shown again. If you did not copy it, revoke it and create a new one.',
    toKeys: 'See your API keys',
    another: 'Create another key',
  },
  made: {
    title: 'Copy your new key now',
    lead: 'This is the only time that the key is shown. Store it where your program keeps its secrets, never in source code. Anyone who has the key can act in your name.',
    key: 'API key',
    call: 'Try it in a terminal',
    done: 'I have copied it',
    details: 'View this key',
  },
  revoke: {
    title: 'Revoke this key?',
    lead: 'It stops working immediately. This cannot be undone. To replace a key without downtime, rotate it instead.',
    submit: 'Revoke key',
    ended: 'This key no longer works, so there is nothing to revoke.',
  },
  rotate: {
    title: 'Rotate this key',
    lead: 'You get a new key with the same name, mode, scopes and expiry. Switch your program to it while the old key still works.',
    overlap: 'The old key stops working',
    overlaps: {
      0: 'Immediately',
      3600: 'In an hour',
      86400: 'In a day',
      259200: 'In 3 days',
      604800: 'In 7 days',
    },
    submit: 'Rotate key',
    replaced:
      'This key was already rotated. The new one was shown once. If you did not copy it, revoke it and create another.',
    ended: 'This key no longer works. Create a new one instead.',
    tooMany: `You have reached the limit of ${mostKeys} active API keys. Let the old key stop immediately, or revoke another key first.`,
    wrongOverlap: `The old key can work for at most ${maxOverlap / 86_400} more days.`,
    oldEnds: 'The old key works until',
    oldEnded: 'The old key no longer works.',
  },
  gone: 'This key no longer exists.',
} as const;
