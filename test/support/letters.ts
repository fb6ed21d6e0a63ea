import { createLetters } from '../../adapters/http/ui/mail/mail-page.tsx';
import { toClaimId, toOrderId, toProductId, toWebhookId } from '../../core/id.ts';
import type { Letter, LetterOf, MailKind } from '../../core/mail/letter.ts';

export const site = { name: 'Acme "Keys"', url: 'https://keys.example.com/shop' };
export const writeLetter = createLetters(() => site.name, site.url);

const token = 'f00d'.repeat(16);

/** One letter of each kind, with the text of a person or of a browser wherever one can be. */
export function letters(given = 'Zoë'): readonly Letter[] {
  const name = given;
  const product = { product: toProductId(31), title: given, isLive: true };
  const ordered = { order: toOrderId(51), title: given, amount: 4900, currency: 'usd', isLive: false };
  const { isLive: _, ...paid } = ordered;
  const order = { name, token, ...paid };
  const webhook = { webhook: toWebhookId(41), url: `https://example.com/${given}`, isLive: false, why: given };
  const all: { readonly [Kind in MailKind]: LetterOf<Kind> } = {
    test: { kind: 'test', actor: given },
    'verify-email': { kind: 'verify-email', name, token },
    'already-registered': { kind: 'already-registered', name },
    'reset-password': { kind: 'reset-password', name, token },
    'no-account': { kind: 'no-account' },
    'change-email': { kind: 'change-email', name, token },
    'email-changed': { kind: 'email-changed', name, email: given },
    'wallet-changed': {
      ...{ kind: 'wallet-changed', name, chain: 'Base' },
      ...{ address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', from: 1_795_000_000_000 },
    },
    'password-changed': { kind: 'password-changed', name },
    'second-factor-changed': { kind: 'second-factor-changed', name, change: 'codes' },
    invite: { kind: 'invite', token },
    'new-sign-in': { kind: 'new-sign-in', name, browser: given, address: given, at: 0 },
    'key-made': { kind: 'key-made', name, key: { name: given, prefix: 'lk_sk_live_ab12', lastFour: '9f3e' } },
    'order-paid': {
      kind: 'order-paid',
      ...order,
      licenseKey: 'LIC-7H2K-9QWX-M4TB-C0VJ',
      invoice: { kind: 'invoice', number: 'ACME-17' },
      hasDownload: true,
      sellerName: given,
    },
    'order-bundle-paid': {
      kind: 'order-bundle-paid',
      ...order,
      keys: [
        { title: given, licenseKey: 'LIC-7H2K-9QWX-M4TB-C0VJ' },
        { title: 'Second', licenseKey: 'LIC-TEST-0000-0000-0002' },
      ],
      invoice: { kind: 'invoice', number: '19' },
      hasDownload: true,
      sellerName: given,
    },
    'order-instructions': {
      kind: 'order-instructions',
      ...order,
      isBundle: false,
      instructions: 'Send it to\nIBAN 1234',
      reference: '7F3K-29QX',
    },
    'order-usdc': { kind: 'order-usdc', ...order, isBundle: false, waitsUntil: Date.UTC(2026, 10, 30) },
    'order-payment-claimed': {
      ...{ kind: 'order-payment-claimed', name, ...ordered, claim: toClaimId(61), usdc: '47.120000' },
    },
    'order-claim-decided': { kind: 'order-claim-decided', ...order, usdc: '47.120000', reason: given },
    'order-waits': { kind: 'order-waits', name, ...ordered, reference: '7F3K-29QX' },
    'order-processing': { kind: 'order-processing', ...order },
    'order-held': { kind: 'order-held', ...order },
    'order-unpaid': { kind: 'order-unpaid', ...order, why: 'expired' },
    'order-refunded': {
      kind: 'order-refunded',
      ...order,
      isFull: true,
      license: 'revoked',
      parts: [],
      notes: [{ kind: 'credit', number: 'ACME-CN-3', note: 3 }],
    },
    'order-renewed': {
      kind: 'order-renewed',
      ...order,
      licenseKey: 'LIC-7H2K-9QWX-M4TB-C0VJ',
      invoice: { kind: 'receipt', number: '18' },
      expiresAt: 0,
      updatesUntil: null,
    },
    'order-payment-due': {
      kind: 'order-payment-due',
      ...order,
      paidTo: Date.UTC(2026, 10, 29, 8, 30),
      instructions: 'Send it to\nIBAN 1234',
      reference: '7F3K-29QX',
    },
    'order-payment-failed': { kind: 'order-payment-failed', ...order, expiresAt: Date.UTC(2026, 10, 29, 8, 30) },
    'order-subscription-cancelled': { kind: 'order-subscription-cancelled', ...order, expiresAt: null },
    'order-disputed': { kind: 'order-disputed', ...order, dispute: 'open', license: 'suspended', parts: [], notes: [] },
    'license-rotated': {
      kind: 'license-rotated',
      name,
      title: given,
      licenseKey: 'LIC-7H2K-9QWX-M4TB-C0VJ',
      formerKey: 'LIC-2B8N-RW4C-K6PA-D3M7',
      formerEndsAt: Date.UTC(2026, 10, 29, 8, 30),
    },
    'order-license-ends': {
      kind: 'order-license-ends',
      ...order,
      licenseKey: 'LIC-7H2K-9QWX-M4TB-C0VJ',
      expiresAt: Date.UTC(2026, 10, 29, 8, 30),
      days: 7,
      sellerName: given,
    },
    'order-license-ended': {
      kind: 'order-license-ended',
      ...order,
      licenseKey: 'LIC-7H2K-9QWX-M4TB-C0VJ',
      expiresAt: Date.UTC(2026, 10, 29, 8, 30),
      sellerName: given,
    },
    'product-approved': { kind: 'product-approved', name, ...product },
    'product-waits': { kind: 'product-waits', name, ...product },
    'product-question': {
      kind: 'product-question',
      name,
      slug: 'jar',
      title: given,
      question: given,
      email: given,
      product: product.product,
    },
    'license-leak-suspected': {
      ...{ kind: 'license-leak-suspected', name, licenseKey: 'LIC-7H2K-9QWX-M4TB-C0VJ', title: given, isLive: true },
      domains: 7,
    },
    'product-rejected': { kind: 'product-rejected', name, ...product, reason: given },
    'webhook-failed': { kind: 'webhook-failed', name, ...webhook },
    'webhook-off-soon': { kind: 'webhook-off-soon', name, ...webhook },
    'webhook-off': { kind: 'webhook-off', name, ...webhook },
  };
  return Object.values(all);
}
