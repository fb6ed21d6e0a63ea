import { linkLives } from '../../../../core/accounts/one-time-link.ts';
import type { LetterOf, MailKind } from '../../../../core/mail/letter.ts';
import { lasting } from '../numbers.ts';
import { readableTime } from '../time.tsx';
import type { Draft } from './draft.ts';
import { orderTexts } from './order-texts.ts';

/** The pages that mails lead to. */
const pages = {
  home: '/',
  signIn: '/sign-in',
  signUp: '/sign-up',
  account: '/account',
  security: '/account/security',
  verifyEmail: '/verify-email',
  resetPassword: '/reset-password',
  changeEmail: '/change-email',
  invitation: '/invitation',
} as const;

const ignore = 'If this was not you, you can ignore this e-mail.';
const takeBack =
  'If this was not you, someone may know your password. Reset it right away with “Forgot your password?” on the sign-in page.';
const review = { label: 'Review your account', path: pages.security };
const factorTexts = {
  on: ['Two-factor authentication is on', 'You now need a code from your authenticator app to sign in.'],
  off: ['Two-factor authentication is off', 'You now sign in with your password alone.'],
  codes: ['New recovery codes', 'Your account has new recovery codes. The old ones no longer work.'],
} as const satisfies Record<LetterOf<'second-factor-changed'>['change'], readonly [string, string]>;

/** The texts of all mails, in English. `site` is the name of the site, and `url` its address. */
export const mailTexts: {
  readonly [Kind in MailKind]: (letter: LetterOf<Kind>, site: string, url: string) => Draft;
} = {
  test: ({ actor }, site, url) => ({
    subject: `Test e-mail from ${site}`,
    happened: [
      [`This is a test e-mail from the Latchkey server at ${url}.`],
      [{ given: actor }, ' sent it. If you can read this, your mail settings work.'],
    ],
    link: { label: 'Open the site', path: pages.home },
    otherwise: ['You do not need to do anything.'],
  }),
  'verify-email': ({ name, token }, site) => ({
    subject: `Confirm your e-mail address for ${site}`,
    name,
    happened: [['Someone signed up with this e-mail address. Confirm the address to finish creating the account.']],
    link: {
      label: 'Confirm e-mail address',
      path: pages.verifyEmail,
      code: { token, life: linkLives['verify-email'] },
    },
    otherwise: [`${ignore} Nobody can finish without the password that was chosen at sign-up.`],
  }),
  'already-registered': ({ name }, site) => ({
    subject: `You already have an account at ${site}`,
    name,
    happened: [['Someone tried to use this e-mail address for another account, but it already belongs to yours.']],
    link: { label: 'Sign in', path: pages.signIn },
    otherwise: [`${ignore} Nothing has changed.`],
  }),
  'reset-password': ({ name, token }, site) => ({
    subject: `Reset your password for ${site}`,
    name,
    happened: [
      ['Someone asked to reset the password of your account. Your old password works until you choose a new one.'],
    ],
    link: {
      label: 'Reset password',
      path: pages.resetPassword,
      code: { token, life: linkLives['reset-password'] },
    },
    otherwise: [`${ignore} Your password will not change.`],
  }),
  'no-account': (_, site) => ({
    subject: `No account at ${site} with this address`,
    happened: [
      ['Someone asked to reset a password with this e-mail address, but no account uses it.'],
      ['If you have an account, it uses another e-mail address.'],
    ],
    link: { label: 'Create an account', path: pages.signUp },
    otherwise: [ignore],
  }),
  'change-email': ({ name, token }, site) => ({
    subject: `Confirm your e-mail address for ${site}`,
    name,
    happened: [['Someone wants to use this e-mail address for an account. Confirm that the address is yours.']],
    link: {
      label: 'Confirm e-mail address',
      path: pages.changeEmail,
      code: { token, life: linkLives['change-email'] },
    },
    otherwise: ['If this was not you, ignore this e-mail and do not open the link.'],
  }),
  'email-changed': ({ name, email }, site) => ({
    subject: `Your e-mail address at ${site} was changed`,
    name,
    happened: [
      ['The e-mail address of your account is now ', { given: email }, '.'],
      ['We no longer send e-mails about your account to this address.'],
    ],
    link: { label: 'Sign in', path: pages.signIn },
    otherwise: [
      'If this was not you, someone may have taken over your account. Tell the people who run this site right away.',
    ],
  }),
  'wallet-changed': ({ name, chain, address, from }, site) => ({
    subject:
      address === null
        ? `The address for USDC on ${chain} was removed at ${site}`
        : `There is a new address for USDC on ${chain} at ${site}`,
    name,
    happened: [
      address === null
        ? [`Nobody can choose to pay in USDC on ${chain} any more.`]
        : ['Buyers pay in USDC on ', chain, ' to the address ', { given: address }, '.'],
      ...(from === null ? [] : [[`This begins on ${readableTime(from)}. Until then, nothing changes.`]]),
    ],
    link: review,
    otherwise: [
      'If this was not you, someone may get your money. Reset your password right away, and remove the address.',
    ],
  }),
  'password-changed': ({ name }, site) => ({
    subject: `Your password for ${site} was changed`,
    name,
    happened: [['The password of your account was changed. You are signed out of all other browsers.']],
    link: review,
    otherwise: [takeBack],
  }),
  'second-factor-changed': ({ name, change }, site) => ({
    subject: `${factorTexts[change][0]} at ${site}`,
    name,
    happened: [[`${factorTexts[change][1]} You are signed out of all other browsers.`]],
    link: review,
    otherwise: [takeBack],
  }),
  invite: ({ token }, site) => ({
    subject: `You are invited to ${site}`,
    happened: [['You are invited to create an account with this e-mail address.']],
    link: { label: 'Accept invitation', path: pages.invitation, code: { token, life: linkLives.invite } },
    otherwise: [
      'If you did not expect this invitation, you can ignore this e-mail. No account is created unless you accept.',
    ],
  }),
  'new-sign-in': ({ name, browser, address, at }, site) => ({
    subject: `New sign-in to ${site}`,
    name,
    happened: [['Someone signed in to your account from a browser that you have not used before.']],
    facts: [
      ['Time', readableTime(at)],
      ['Browser', browser],
      ['IP address', address],
    ],
    link: review,
    otherwise: [`If this was you, you do not need to do anything. ${takeBack}`],
  }),
  'key-made': ({ name, key }, site) => ({
    subject: `New API key at ${site}`,
    name,
    happened: [['A new API key was created for your account.']],
    facts: [
      ['Name', key.name],
      ['Key', `${key.prefix}…${key.lastFour}`],
    ],
    link: { label: 'Review your API keys', path: pages.account },
    otherwise: [
      'If neither you nor the people who run this site created it, revoke it right away and change your password.',
    ],
  }),
  'license-rotated': ({ name, title, licenseKey, formerKey, formerEndsAt }, site) => ({
    subject: `Your new license key at ${site}`,
    name,
    happened: [
      ['The key of your license for “', { given: title }, '” was replaced. The license itself stays as it is.'],
      [
        formerEndsAt === null
          ? 'The former key does not work any more. Use the new one wherever you used it.'
          : `The former key works until ${readableTime(formerEndsAt)}. Use the new one before that.`,
      ],
    ],
    facts: [
      ['New key', licenseKey],
      ['Former key', formerKey],
    ],
    link: { label: 'Open the site', path: pages.home },
    otherwise: ['If you do not know about this, ask the seller.'],
  }),
  'product-approved': ({ name, title, isLive, product }, site) => ({
    subject: `Your product at ${site} was approved`,
    name,
    happened: [['Your product “', { given: title }, '” was approved.', isLive ? ' Everybody can see it now.' : '']],
    link: { label: 'See your product', path: pathOfProduct(isLive, product) },
    otherwise: ['You do not need to do anything.'],
  }),
  'product-waits': ({ name, title, product }, site) => ({
    subject: `A product at ${site} waits for approval`,
    name,
    happened: [['The product “', { given: title }, '” waits for your approval.']],
    link: { label: 'Review the product', path: `/admin/products/${product}` },
    otherwise: ['You get this e-mail because you are an administrator. The other administrators get it too.'],
  }),
  'product-question': ({ name, slug, title, question, email }, site) => ({
    subject: `A question about your product at ${site}`,
    name,
    happened: [['Somebody asks about “', { given: title }, '”.']],
    facts: [
      ['Question', question],
      ['Answer to', email ?? 'The visitor wants no answer.'],
    ],
    link: { label: 'See the product', path: `/marketplace/${slug}` },
    otherwise: [
      `${site} has not checked who asks. Do not open links that you do not know, and never send passwords or license keys.`,
    ],
  }),
  'license-leak-suspected': ({ name, title, isLive, licenseKey, domains }, site) => ({
    subject: `A license key may have leaked at ${site}`,
    name,
    happened: [
      [
        `${domains} domains on which it is not activated ask again and again with the key of a license of “`,
        { given: title },
        '”. Their calls are refused.',
      ],
    ],
    // Anybody who has the key can make up domains, so a mail names none.
    facts: [['License key', licenseKey]],
    link: { label: 'See the license', path: `/selling/${isLive ? 'live' : 'test'}/licenses/${licenseKey}` },
    otherwise: [
      'If the key is where it should not be, replace it: the buyer gets the new one, and the old one ends when you say. You get no further e-mail about this license for 30 days.',
    ],
  }),
  'product-rejected': ({ name, title, isLive, product, reason }, site) => ({
    subject: `Your product at ${site} was rejected`,
    name,
    happened: [['Your product “', { given: title }, '” was rejected.']],
    facts: [['Reason', reason === '' ? 'None given' : reason]],
    link: { label: 'See your product', path: pathOfProduct(isLive, product) },
    otherwise: ['You can change the product and submit it again. Its licenses work as before.'],
  }),
  ...orderTexts,
  'webhook-failed': ({ name, ...about }, site) => ({
    subject: `An event could not be delivered to your webhook at ${site}`,
    name,
    happened: [['We tried several times to deliver an event to your webhook, and have given up.']],
    ...factsOfWebhook(about),
    otherwise: [
      'When your server works again, you can send the event once more. You get no further e-mail until a delivery succeeds.',
    ],
  }),
  'webhook-off-soon': ({ name, ...about }, site) => ({
    subject: `Your webhook at ${site} will be switched off`,
    name,
    happened: [
      [
        'Nothing could be delivered to your webhook for four days. If this does not change, it is switched off in a day.',
      ],
    ],
    ...factsOfWebhook(about),
    otherwise: ['It stays on if one delivery succeeds.'],
  }),
  'webhook-off': ({ name, ...about }, site) => ({
    subject: `Your webhook at ${site} was switched off`,
    name,
    happened: [['Nothing could be delivered to your webhook for five days. It gets no more events.']],
    ...factsOfWebhook(about),
    otherwise: ['When your server works again, switch the webhook on and send the events that it missed.'],
  }),
};

function factsOfWebhook({
  webhook,
  url,
  isLive,
  why,
}: Pick<LetterOf<'webhook-off'>, 'webhook' | 'url' | 'isLive' | 'why'>) {
  return {
    facts: [
      ['Webhook', url],
      ['Last error', why],
    ],
    link: { label: 'See your webhook', path: `/selling/${isLive ? 'live' : 'test'}/webhooks/${webhook}` },
  } as const;
}

function pathOfProduct(isLive: boolean, product: number): string {
  return `/selling/${isLive ? 'live' : 'test'}/products/${product}`;
}

/** The words around the text of every mail. */
export const frameTexts = {
  greeting: 'Hello',
  life: (milliseconds: number) => `The link works once, within ${lasting(milliseconds)}.`,
  code: 'If the page asks for a code, enter this one:',
  sentBy: 'Sent by ',
};
