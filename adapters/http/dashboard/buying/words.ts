import { exampleAmount } from '../../../../core/currency.ts';
import type { ExplainedRule } from '../../../../core/licensing/explanation.ts';
import type { LicenseStatus } from '../../../../core/licensing/license.ts';
import type { HostRules } from '../../../../core/marketplace/product-terms.ts';
import type { LicenseEffect, Provider } from '../../../../core/purchases/order.ts';
import { counted, readableNumber } from '../../ui/numbers.ts';
import { states } from './states.ts';

const domains = (most: number) => (most === 1 ? 'one domain' : counted(most, 'domain'));

/** The words of the pages for buyers. */
export const words = {
  states,
  freeName: 'Free',
  /** The state of the license, while the state of the order is not plain `paid`. */
  license: {
    none: '',
    works: 'Your license works as before.',
    suspended: 'Your license does not work until this is settled.',
    revoked: 'Your license does not work any more.',
  } satisfies Record<LicenseEffect, string>,
  statuses: {
    active: 'Active',
    suspended: 'Suspended',
    revoked: 'Revoked',
    expired: 'Expired',
  } satisfies Record<LicenseStatus, string>,

  buy: {
    title: (product: string) => `Buy ${product}`,
    subscribeTitle: (product: string) => `Subscribe to ${product}`,
    getTitle: (product: string) => `Get ${product}`,
    products: 'Marketplace',
    crumb: 'Buy',
    subscribeCrumb: 'Subscribe',
    testMode: 'This product is in test mode. Only you can see this page.',
    seller: 'Seller',
    what: 'What you get',
    total: 'Total',
    totalNow: 'To pay now',
    offer: 'Offer',
    otherOffers: 'See all offers',
    email: 'E-mail address',
    emailHint: 'We send your license key to this address.',
    emailKept: 'The seller sees it with your order. Your license key appears on the next page: bookmark it.',
    memberMailed: 'Your license key goes to',
    member: 'You buy as',
    name: 'Name (optional)',
    nameHint: 'For the invoice.',
    way: 'How do you want to pay?',
    ways: {
      free: 'Free',
      stripe: 'Card and other methods, at Stripe',
      test: 'Play money (test)',
      manual: 'By bank transfer or as agreed',
      usdc: 'USDC, from any wallet or exchange',
    } satisfies Record<Provider, string>,
    waysHint: {
      free: '',
      stripe: 'You enter your payment details at Stripe. This site never sees them.',
      test: 'This is a test payment: no money moves.',
      manual: 'The next page tells you how to pay. You get the license key when the money has arrived.',
      usdc: 'You send USDC from any wallet or exchange: the next page shows the amount and the address. You get the license key some minutes after you have paid.',
    } satisfies Record<Provider, string>,
    pay: (price: string) => `Pay ${price}`,
    order: (price: string) => `Order for ${price}`,
    getFree: 'Get it for free',
    goOn: 'Continue',
    showSum: 'Show the new total',
    subscribeFree: 'Subscribe',
    guestsToo: 'You do not need an account. If you have one,',
    signIn: 'sign in',
    keepsOrders: 'to find all your purchases in one place.',
    termsChanged: 'The price or the terms have changed since you opened this page. They are here as they are now.',
    notForSale: 'This product is not for sale at the moment. You paid nothing.',
    noWay: 'Nobody can buy this product at the moment, because this site has no way to pay for it yet.',
    already: 'This address already has this free product. Its license key is on the page of that order.',
    mailedTitle: 'Check your e-mail',
    mailed: (email: string) =>
      `The license key and a link to your order go to ${email}. If this address got the product before, it gets the same key again. We send only a few such e-mails in an hour. If none arrives within a few minutes, check your spam folder.`,
    unavailable:
      'The payment service cannot be reached at the moment. Nothing was paid. Try again in a minute, or choose another way to pay.',
    inFlight: 'Your order is being made. Wait a moment, then press the button once more. You will not pay twice.',
  },

  amount: {
    label: (currency: string) => `Your price, in ${currency.toUpperCase()}`,
    atLeast: (least: string, suggested: string) => `Pay what you want: ${least} or more. ${suggested} is suggested.`,
    orNothing: (suggested: string) => `Pay what you want, or nothing. ${suggested} is suggested.`,
    wrong: (currency: string) => `Enter an amount in ${currency.toUpperCase()}, such as ${exampleAmount(currency)}.`,
    changed: (price: string) => `With what you changed, you pay ${price} now. Press the button to go on.`,
    free: 'With what you changed, you pay nothing now. Press the button to go on.',
  },

  coupon: {
    label: 'Coupon code (optional)',
    apply: 'Apply',
    change: 'Change',
    full: 'Price',
    named: (code: string, percent: number | null) =>
      percent === null ? `Coupon ${code}` : `Coupon ${code} (${percent} %)`,
    thenBoth: (less: string, payments: string, full: string) =>
      `Then ${less} for ${payments}, and then ${full}, until you cancel. You can do that at any time.`,
  },

  order: {
    title: (product: string) => `Your order: ${product}`,
    test: 'Test order: no real money',
    keyTitle: 'Your license key',
    key: 'Key',
    keyLead: 'Enter this key on your site. Keep this page to yourself: whoever has its address can see the key.',
    keyDead: 'This key does not work at the moment.',
    sendAgain: 'Send the key by e-mail',
    sentJustNow: 'The mail is on its way. You can ask for another one in five minutes.',
    noLicense: 'There is no license key yet: the order is not paid.',
    sentTo: (address: string) => `We have sent it to ${address}, too.`,
    facts: 'Order',
    number: 'Order',
    receiptNumber: 'Invoice',
    date: 'Ordered',
    paidAt: 'Paid',
    coupon: 'Coupon',
    price: 'Price',
    refunded: 'Refunded',
    seller: 'Seller',
    buyer: 'Buyer',
    expires: 'License ends',
    offer: 'Offer',
    updates: 'Updates until',
    allUpdates: 'For ever',
    entitlements: 'Includes',
    never: 'Never',
    fromActivation: (days: number) => `${counted(days, 'day')} after the first activation`,
    status: 'License',
    receipt: 'See the invoice',
    goOn: 'Go on to the payment',
    goOnTest: 'Go to the test payment',
    again: 'Order again',
    waitsForTransfer:
      'Your license key appears on this page when your payment has arrived and is recorded. Keep the address of this page.',
    payUntil: 'The order waits for your payment until',
    reload: 'Check again',
    mailed: (address: string, when: string) => `We write to ${address} ${when}.`,
    howToPay: 'How to pay',
    amount: 'Amount',
    write: 'Write on the transfer',
    payTo: 'Pay to',
    waits: 'We wait for the answer of the bank. This page shows your license key as soon as it is there.',
    testPage: 'Open the test payment page',
  },

  parts: {
    title: 'Your products',
    lead: (count: number) => `${counted(count, 'product')}, each with a license key of its own.`,
    download: (version: string) => `Download version ${version}`,
    template: 'Project template',
    open: 'Domains, versions and more',
    partOf: 'This product is a part of',
    /** The marks keep the number readable after a title that runs from right to left. */
    bundle: (title: string, order: number) => `\u2068${title}\u2069, order ${order}`,
    share: 'Its price is its share of what was paid for that.',
  },
  domains: {
    title: 'Domains',
    used: (used: number, most: number) => `${readableNumber(used)} of ${counted(most, 'domain')} in use.`,
    movesLeft: (left: number, most: number) =>
      most === 0
        ? 'The seller does not allow domains to be moved.'
        : left === 0
          ? 'No domain can be moved any more this month.'
          : `You can move a domain ${left === 1 ? 'once' : `${readableNumber(left)} times`} this month.`,
    counting: ({ localHostsAreFree, previewHosts, wwwIsApex }: HostRules) =>
      [
        `example.com and app.example.com are two domains, and www.example.com ${wwwIsApex ? 'is the same as example.com' : 'is one more'}.`,
        `localhost and other sites on your own machine or network ${localHostsAreFree ? 'do not count' : 'count, too'}.`,
        previewHosts.length > 0 && `Preview sites do not count: ${previewHosts.join(', ')}.`,
      ]
        .filter((line) => line !== false)
        .join(' '),
    none: 'The key is not in use yet. Enter it on your site. Then the site appears here.',
    noneInactive: 'The key is not in use on any site.',
    inactive: 'Domains cannot be moved while the license does not work. You can still remove them.',
  },

  tryOut: {
    title: 'Test the key',
    /** `domain` is one on which the key is in use, if there is one. */
    lead: (domain: string | undefined) =>
      domain === undefined
        ? 'Paste this into a terminal. The answer says whether the key works, and on which domains it is in use.'
        : `Paste this into a terminal. The answer says whether the key works on ${domain}.`,
    command: 'Command',
    description: 'What the seller says about the product',
    guide: 'How a site checks its key',
  },

  explain: {
    title: 'Why is my site not working?',
    lead: 'Enter the address of your site. We check your license for it, and say what to do.',
    submit: 'Check',
    fixes: {
      domain_legal: 'Enter the address that you see in the browser, such as app.example.com.',
      key_known: 'Check the license key.',
      not_revoked: 'The payment was refunded or taken back, or the seller has revoked the license. Ask the seller.',
      not_suspended: 'The payment is disputed or taken back, or the seller has suspended the license. Ask the seller.',
      not_expired: 'The time of the license is over. Ask the seller to renew it, or buy it again.',
      domain_activated: 'Enter the license key on this site. That activates the license.',
    } satisfies Record<ExplainedRule, string>,
    full: (most: number) =>
      most === 1
        ? 'The one domain of your license is in use. Move or remove it on this page. Then enter the key on this site.'
        : `All ${domains(most)} of your license are in use. Move or remove one on this page. Then enter the key on this site.`,
    doOne: 'Do one of the two things that are missing. Then enter the license key on this site.',
    doMissing: 'First do what is missing. Then enter the license key on this site.',
    takes: (domain: string) =>
      `The proof of this domain is published. Enter the license key on this site: then it takes the place of ${domain}.`,
    removeHere: 'So the site cannot free a domain by itself. You can: remove one on this page.',
    meant: (domain: string) => `Your license works on ${domain}. If you mean that site, correct the address.`,
  },

  testPay: {
    title: 'Test payment',
    warning: 'Test payment: no money moves. Here you play the bank.',
    pay: (amount: string) => `Pay ${amount}`,
    decline: 'Decline the payment',
    refundAll: (amount: string) => `Refund ${amount}`,
    refundTitle: 'Refund a part',
    refundAmount: 'Amount in US dollars',
    refundPart: 'Refund this amount',
    noAmount: 'Enter an amount such as 10 or 9.99.',
    tooMuch: 'This is more than what can still be refunded.',
    dispute: 'Dispute the payment',
    win: 'The seller wins the dispute',
    lose: 'The buyer wins the dispute',
    nothing: 'The bank can do nothing more for this order.',
    changed: 'The order has changed in the meantime, so this is not possible any more. Load the page again.',
    back: 'Back to the order',
  },

  purchases: {
    lead: 'What you bought with this account: each license with its downloads and its order.',
    none: 'You have not bought anything yet',
    noneLead:
      'Your orders appear here, with license keys and downloads. Orders without an account appear too, if they were made with your e-mail address.',
    unverified:
      'Orders that were made without an account do not appear here, because your e-mail address is not verified.',
    verify: 'Verify it',
    browse: 'See all products',
    noneFound: 'Nothing found',
    noneFoundAdvice: 'Search for the start of a product’s title, of a license key or of an order’s number.',
    soFar: {
      title: 'Nothing found so far',
      advice: 'You have many orders, so the search works in steps. Continue with the next step.',
      on: 'Continue',
    },
    search: 'Product, key or order',
    show: 'Show',
    shows: { licenses: 'Only licenses' },
    list: 'Licenses and orders',
    product: 'Product',
    partOf: 'Part of',
    state: 'State',
    key: 'License key',
    renews: 'Renewed or upgraded',
    downloads: 'Downloads',
    invoice: (number: string) => `Invoice ${number}`,
  },
} as const;
