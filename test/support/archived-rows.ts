import type { ArchivedRow, ArchivedTable } from '../../adapters/sql/archive/tables.ts';

/** Rows of tables, by name. */
export type Rows = Readonly<Record<string, readonly ArchivedRow[]>>;

/** A user with this id. */
export const user = (id: number) => ({
  id,
  name: `Zoë ${id}`,
  email: `${id}@example.com`,
  tier: 'pro',
  created_at: 2 ** 41,
  bytes_kept: 2 ** 40,
  role: id === 41 ? 'admin' : null,
  selling: id === 41 ? 'trusted' : null,
  suspended_at: id === 41 ? 2 ** 41 : null,
  paid_tier: id === 41 ? 'pro' : null,
  assigned_tier: id === 41 ? 'free' : null,
  sandbox_until: id === 3 ? 2 ** 41 : null,
  search_name: `zoë ${id}`,
});
/** A row of `idempotency` that is in flight. */
export const answerOf = (key: string) => ({
  key,
  fingerprint: 'f',
  taken_at: 1,
  status: null,
  body: null,
  owner: null,
});

/** Returns a reader that yields the rows of each table one at a time, like a file. */
export const from = (rows: Rows) =>
  async function* ({ name }: ArchivedTable) {
    for (const row of rows[name] ?? []) yield [row];
  };

/** A row of `activations`. */
export function activation(domain: string): ArchivedRow {
  const counted = { verification_count: 2 ** 40, last_verified_at: null };
  const moving = { kind: 'preview', ends_at: 2 ** 41, moved_to: 'n.com', moved_from: 'o.com', proven_at: 2 ** 41 };
  return { license_id: 6, domain, ordinal: 1, activated_at: 1, ...counted, license_version: 3, ...moving };
}

/** A row of `audit_log`. */
export function entry(id: number): ArchivedRow {
  return { id, at: 2 ** 41, type: 'user.added', actor: 'a\n"b"', reason: null, subject: '😀', data: '{"a":1}' };
}

function mail(id: number, state: string): ArchivedRow {
  const content = { subject: 'Übung', text: 'a\nb', html: '<p>', state, attempts: 1, error: null };
  return { id, kind: 'test', name: '', address: 'a@example.com', ...content, created_at: 2 ** 41, settled_at: null };
}

function licenseText(kind: string, text: string): ArchivedRow {
  return { license_id: 6, kind, text, owner_id: null, is_live: 1 };
}

/** At least one row in every table that moves. The ids have gaps. */
export const sample: Rows = {
  users: [user(3), user(41)],
  user_texts: [
    { user_id: 3, text: '3@example.com', tier: 'pro', role: null, is_suspended: 0 },
    { user_id: 3, text: 'example.com', tier: 'pro', role: null, is_suspended: 0 },
    { user_id: 41, text: 'zoë 41', tier: 'pro', role: 'admin', is_suspended: 1 },
  ],
  credentials: [
    {
      user_id: 3,
      password_hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
      email_verified_at: 2 ** 41,
      totp_secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      totp_last_step: 2 ** 33,
      recovery_digests: '["a"]',
      generation: 2,
    },
  ],
  account_usage: [
    { user_id: 3, day: '2026-11-21', calls: 2 ** 40, refused: 0 },
    { user_id: 3, day: '2026-11-22', calls: 0, refused: 2 ** 40 },
    { user_id: 41, day: '2026-11-21', calls: 1, refused: 2 },
  ],
  products: [
    {
      id: 8,
      slug: 'jar',
      title: 'Jar',
      owner_id: null,
      created_at: 1,
      status: 'pending',
      is_live: 1,
      tagline: '',
      description: 'Line\nbreaks,\u2028\ttabs, "quotes" and \\.',
      price: 4_900,
      module: 'custom',
      variant: null,
      category: null,
      subcategory: 'x',
      tags: '["a"]',
      blockchains: '[]',
      is_supported: 0,
      zip: 'products/a.zip',
      thumbnail: null,
      updated_at: 2,
      seller_name: 'Ada',
      rejection_reason: 'No.',
      archived_at: 2 ** 41,
      max_domains: 4,
      duration_days: 30,
      duration_from: 'first_activation',
      local_hosts_are_free: 1,
      preview_hosts: '["*.vercel.app"]',
      www_is_apex: 1,
      moves_per_month: 5,
      rotations_per_year: 2,
      lease_hours: 24,
      version: '1.2',
      is_approved: 1,
      on_refund: 'keep',
      ...{ domain_proof: 'always', deactivation: 'proof', cool_down_hours: 7 },
      sold: 7,
      template_id: 2,
      links: '{"demo":"https://demo.example"}',
      pictures: '[{"key":"media/a.png","alt":"A"}]',
      offers: '[]',
      adapters: '{"lemonsqueezy":{"isOn":true,"storeId":1,"productId":2,"variantId":null}}',
      bundle: '[{"productId":3,"offer":null}]',
      prices: '{"eur":4500}',
      least_prices: '{"eur":0,"usd":500}',
    },
  ],
  product_versions: [
    {
      ...{ product_id: 8, ordinal: 1, number: '1', notes: '', zip: 'products/a.zip', size: null, created_at: 1 },
      for_everybody: null,
    },
    {
      ...{ product_id: 8, ordinal: 2, number: '1.2', notes: 'ü', zip: 'products/b.zip', size: 2 ** 41, created_at: 2 },
      for_everybody: 1,
    },
  ],
  product_texts: ['J', 'jar', 'ä'].map((text) => ({ product_id: 8, text, owner_id: null, is_live: 1 })),
  licenses: [
    {
      id: 6,
      key: 'LIC-AAAA-AAAA-AAAA-AAAA',
      product_id: 8,
      standing: 'active',
      max_domains: 5,
      domains_used: 2,
      activations_made: 7,
      expires_at: null,
      created_at: 1,
      retired_verification_count: 3,
      retired_last_verified_at: 2 ** 41,
      owner_id: null,
      is_live: 1,
      holder_email: 'ü@example.com',
      holder_name: 'Ü',
      reference: 'Order 7',
      metadata: '{"a":"b"}',
      free_domains: 1,
      moves_month: '2026-11',
      moves_made: 2,
      days_from_activation: 365,
      own_standing: 'suspended',
      updates_until: 1_800_000_000_000,
      entitlements: '["pro"]',
      key_removal_at: 2 ** 41,
      clock_ahead: null,
      forced: null,
    },
  ],
  license_instances: [
    { license_id: 6, id: 'f90ec370-fd83-46a5-8bbd-44a241e78665', domain: 'a.example.com', name: 'Shop “Ñ”' },
  ],
  license_aliases: [
    {
      id: 5,
      license_id: 6,
      kind: 'former',
      digest: 'd1',
      exact_digest: 'e1',
      hint: 'LIC-…ZZ',
      key: 'LIC-ZZZZ-ZZZZ-ZZZZ-ZZZZ',
      valid_until: 2 ** 41,
      added_at: 7,
      by_holder: 1,
    },
    {
      ...{ id: 6, license_id: 6, kind: 'other', digest: 'd2', exact_digest: 'e2', hint: 'ü…', added_at: 8 },
      ...{ key: null, valid_until: null, by_holder: 0 },
    },
  ],
  activations: [activation('a-b.com'), activation('a.com'), activation('a0.com'), activation('ab.com')],
  license_periods: [
    {
      id: 3,
      license_id: 6,
      cause: 'order:4',
      at: 2 ** 41,
      standing: 'paid',
      gives: '{"kind":"renewal","days":30,"months":null}',
      worth: 4900,
      currency: 'eur',
      built_on: '["order:3"]',
    },
  ],
  // The first five are those that triggers add.
  license_texts: [
    ...['a-b.com', 'a.com', 'a0.com', 'ab.com'].map((text) => licenseText('domain', text)),
    licenseText('key', 'aaaa'),
    licenseText('reference', 'order 7'),
  ],
  product_usage: [
    { product_id: 8, at: 0, verifications: 2 ** 40, domains: 1 },
    { product_id: 8, at: 2 ** 41, verifications: 3, domains: 2 },
  ],
  license_usage: [{ license_id: 6, at: 2 ** 41, verifications: 2 ** 40, domains: 2 }],
  usage_counted: [{ license_id: 6, verifications: 2 ** 40, domains: 2 }],
  templates: [
    {
      id: 2,
      slug: 'dex',
      title: 'Dex',
      description: '',
      category: 'defi-dex',
      tier: 'free',
      tags: '[]',
      parameters: '[]',
      zip: 'templates/a.zip',
      created_at: 1,
      download_count: 4,
    },
  ],
  purchases: [
    { user_id: 3, template_id: 2, at: 5 },
    { user_id: 41, template_id: 2, at: 4 },
  ],
  orders: [
    {
      id: 4,
      token: 'abc',
      provider: 'stripe',
      payment_id: 'cs_1',
      intent_id: 'pi_1',
      is_live: 1,
      product_id: 8,
      seller_id: null,
      buyer_id: 3,
      email: 'ü@example.com',
      buyer_name: 'Ü',
      agreed: '{"title":"Jar"}',
      template_id: 2,
      payment: '{"status":"paid"}',
      currency: 'usd',
      total: 2 ** 40,
      refunded: 2 ** 39,
      state: 'paid',
      is_accepted: 1,
      license_key: 'LIC-AAAA-AAAA-AAAA-AAAA',
      renews: 'LIC-BBBB-BBBB-BBBB-BBBB',
      subscription: '{"id":"sub_1"}',
      subscription_id: 'sub_1',
      subscription_status: 'active',
      is_cancelled: 1,
      yearly: 2 ** 40,
      subscription_ended_at: 2 ** 41 + 3,
      cycle_of: 3,
      part_of: 2,
      billing: '{"name":"Ü AG"}',
      invoice: '{"prefix":"A-"}',
      credit_notes: '[]',
      trial_of: 'ü@example.com',
      by_coupon: 0,
      number: 17,
      created_at: 2 ** 41,
      paid_at: 2 ** 41 + 1,
      updated_at: 2 ** 41 + 2,
      revision: 3,
    },
  ],
  order_texts: ['4', 'jar', 'ü@example.com'].map((text) => ({ order_id: 4, text, seller_id: null, is_live: 1 })),
  order_numbers: [
    { seller_id: 0, is_live: 1, last: 17, last_credit_note: 4 },
    { seller_id: 3, is_live: 0, last: 2, last_credit_note: 0 },
  ],
  wallets: [{ seller_id: 0, book: '{"wallets":[],"proof":null}' }],
  usdc_quotes: [
    {
      ...{
        id: 5,
        order_id: 4,
        chain_id: 8_453,
        address: '0xa',
        amount: 2 ** 41,
        created_at: 2 ** 41,
        ends_at: 2 ** 42,
      },
      ...{ is_held: 1, changes: 3, told: 2 },
    },
  ],
  usdc_transfers: [
    {
      ...{
        chain_id: 8_453,
        tx_hash: '0xb',
        log_index: 2,
        block_number: 2 ** 33,
        block_hash: '0xc',
        from_address: '0xd',
      },
      ...{ to_address: '0xa', amount: 2 ** 41, quote_id: 5, is_final: 0, is_soft: 1 },
    },
  ],
  usdc_sent_back: [
    {
      ...{ chain_id: 8_453, tx_hash: '0xe', log_index: 3, block_number: 2 ** 33, block_hash: '0xc' },
      ...{ from_address: '0xa', to_address: '0xd', amount: 2 ** 41, order_id: 4, refund: 2 ** 33, is_final: 1 },
    },
  ],
  usdc_claims: [
    {
      ...{
        id: 6,
        order_id: 4,
        chain_id: 8_453,
        tx_hash: '0xf',
        log_index: 3,
        block_number: 2 ** 33,
        block_hash: '0xc',
      },
      ...{ from_address: '0xd', to_address: '0xa', amount: 2 ** 41, is_final: 1, sent_at: 2 ** 41, state: 'rejected' },
      ...{ reason: 'Whose "is" it? ü', created_at: 2 ** 41, decided_at: 2 ** 41 },
    },
  ],
  usdc_watches: [{ chain_id: 8_453, revision: 7, last_block: 2 ** 33 }],
  lease_keys: [
    {
      ...{ ordinal: 2, kid: 'k-2', public_key: 'p-2', private_key: 'v1.a.b' },
      ...{ created_at: 2 ** 41, retired_at: null, longest_hours: 168 },
    },
    {
      ...{ ordinal: 3, kid: 'k-3', public_key: 'p-3', private_key: null },
      ...{ created_at: 2 ** 41, retired_at: 2 ** 41 + 1, longest_hours: 8_760 },
    },
  ],
  uploads: [{ id: 9, user_id: 3, is_live: 0, key: 'media/a.png', size: 12, at: 1 }],
  release_codes: [{ id: 4, product_id: 8, version: '1.2', contract: 'Dex é', hash: '0xc5', created_at: 5 }],
  deployments: [
    {
      id: 1,
      user_id: 3,
      is_live: 1,
      chain: 'base',
      chain_id: 8_453,
      address: '0x1',
      tx_hash: '0x2',
      template_reference: null,
      template_id: 2,
      at: 1,
      state: 'confirmed',
      check_from: 1,
      checked_at: 2 ** 41,
      block: 2 ** 33,
      created_at: 3,
      code_hash: '0xc5',
      release_product_id: 8,
      release_version: '1.2',
      counted: 2,
      counted_chain: 8_453,
    },
  ],
  license_strays: [
    {
      ...{ license_id: 6, domain: 'copy.example.net', network: '203.0.113.0' },
      ...{ first_at: 1, last_at: 2 ** 41, calls: 2 ** 33, seen: 2 },
    },
  ],
  license_stray_days: [{ license_id: 6, product_id: 8, day: 2 ** 41, calls: 2 ** 33 }],
  license_leaks: [{ license_id: 6, suspected_at: 2 ** 41 }],
  deployment_days: [
    { template_id: 0, is_live: 0, day: 2 ** 41, chain_id: 2 ** 33, reported: 2, confirmed: 1 },
    { template_id: 2, is_live: 1, day: 0, chain_id: 0, reported: 1, confirmed: 1 },
  ],
  deployment_sums: [
    {
      ...{ template_id: -1, is_live: 1, user_id: 3, product_id: 0, version: '' },
      ...{ reported: 2, confirmed: 0, first_at: 1, last_at: 2 ** 41 },
    },
    {
      ...{ template_id: 2, is_live: 0, user_id: 0, product_id: 8, version: '1.2 é' },
      ...{ reported: 1, confirmed: 1, first_at: 1, last_at: 1 },
    },
  ],
  idempotency: ['1:b', '1:aa', '1:a.', '1:Ä', '1:a-', '1:a'].map(answerOf),
  audit_log: [entry(2), entry(30)],
  mails: [mail(3, 'sent'), mail(7, 'queued')],
  notifications: [
    { id: 4, user_id: 3, kind: 'email_changed', data: '{"email":"ü"}', created_at: 2 ** 41, read_at: null },
    { id: 9, user_id: 41, kind: 'password_changed', data: '{}', created_at: 1, read_at: 2 ** 41 },
  ],
  webhook_endpoints: [
    {
      id: 5,
      owner_id: 3,
      is_live: 0,
      url: 'https://hooks.example.com/ä',
      description: '"Ours"',
      events: 'license.issued product.approved',
      product_id: 8,
      secret: 'sealed',
      old_secret: 'older',
      old_secret_until: 2 ** 41,
      off_reason: 'failures',
      on_since: 1,
      failing_since: 2,
      failed_at: 2 ** 41,
      warned_at: null,
      created_at: 3,
      updated_at: 4,
      turn: 5,
      claimed_at: 6,
      leased_until: 7,
      listened_at: 2 ** 41,
    },
  ],
  webhook_events: [2, 2 ** 33].map((id) => ({ id, name: `evt_${id}`, body: '{"a":"ü"}', created_at: 2 ** 41 })),
  webhook_deliveries: [
    {
      id: 2 ** 34,
      endpoint_id: 5,
      event_id: 2 ** 33,
      type: 'license.issued',
      is_test: 1,
      state: 'waiting',
      attempts: 2,
      made: 3,
      due: 2 ** 41,
      fault: 'dns',
      attempted_at: 1,
      created_at: 2,
    },
  ],
  webhook_attempts: [
    {
      delivery_id: 2 ** 34,
      number: 3,
      at: 2 ** 41,
      request: '{}',
      answer: null,
      fault: 'dns',
      detail: 'No "such" name.',
      duration: 30_000,
    },
  ],
  webhook_hours: [{ endpoint_id: 5, hour: 2 ** 41, delivered: 1, failed: 2 }],
  webhook_expiries: [0, 1].map((mode) => ({ is_live: mode, expires_at: 2 ** 41, license_id: 6 })),
  expiry_reminders: [1, 7].map((days) => ({ days, is_live: 1, expires_at: 2 ** 41 + days, license_id: 6 })),
  known_browsers: [
    { user_id: 3, digest: 'a', last_seen_at: 2 ** 41 },
    { user_id: 3, digest: 'b', last_seen_at: 1 },
  ],
  work: [
    { id: 5, kind: 'mail', subject_id: 7, attempt: 2, due: 2 ** 41, added_at: 1 },
    { id: 6, kind: 'order', subject_id: 4, attempt: 0, due: 2 ** 41, added_at: 2 ** 41 },
  ],
};
