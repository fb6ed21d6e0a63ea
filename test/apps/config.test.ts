import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { readConfig, WrongSetting } from '../../apps/wiring/config.ts';
import { variables } from '../../apps/wiring/settings.ts';
import { itLong } from '../support/required-service.ts';
import { runs } from '../support/runs.ts';

type Name = keyof typeof variables;
const names = Object.keys(variables) as Name[];
const canary = 'c4n4ry';

/** The other settings that a setting needs. */
const companions: { readonly [N in Name]?: Record<string, string> } = {
  DATABASE_READ_URL: { DATABASE_URL: 'postgres://host/db' },
  MAIL_URL: { MAIL_FROM: 'latchkey@example.com' },
  PAYMENTS_URL: { STRIPE_SECRET_KEY: 'sk_test_0123456789', STRIPE_WEBHOOK_SECRET: 'whsec_0123456789' },
  STRIPE_MANAGED_PAYMENTS: { STRIPE_TAX_CODE: 'txcd_10202003' },
};

/** Returns the error message for a value, or `undefined` if the value is valid. */
function refusalOf(name: Name, value: string): string | undefined {
  try {
    readConfig({ ...companions[name], [name]: value });
    return undefined;
  } catch (error) {
    expect(error).to.be.instanceOf(WrongSetting);
    return error instanceof Error ? error.message : String(error);
  }
}

const numbers = ['many', 'NaN', '-1', '1.5e99', 'Infinity', `${canary}`];
const addresses = [canary, `ftp://${canary}@host`, `https://user:${canary}@[`, `//${canary}`, `https://`];
/** Invalid values for each setting. One of them contains a secret of the operator. */
const invalidValues: Record<Name, readonly string[]> = {
  DATABASE_URL: [
    canary,
    `mysql://user:${canary}@host/db`,
    'postgres://',
    `postgres://user:${canary}`,
    'sqlite:',
    `postgres://user:${canary}#x@host/db`,
    `postgres://user:1/${canary}@host/db`,
    `postgres://u:1?${canary}@host/db`,
    `Postgres://user:${canary}@host/db`,
    ...[`postgres://u:${canary}@a,,b/db`, `postgres://u:${canary}@a,b/db?target_session_attrs=standby`],
  ],
  DATABASE_READ_URL: [
    canary,
    `sqlite:${canary}`,
    `postgres://u:${canary}@a,b/db`,
    `postgres://u:1/${canary}@host/db`,
    `postgres://user:${canary}#x@host/db`,
  ],
  DATABASE_POOL_SIZE: [...numbers, '0', '2.5'],
  DATABASE_STATEMENT_TIMEOUT: [...numbers, '0'],
  SECRET_KEY: [canary, 'x'.repeat(31)],
  SECRET_KEY_FORMER: [canary, `${'x'.repeat(32)},${canary}`],
  PORT: [...numbers, '70000'],
  HOST: [`http://${canary}`, `a ${canary}`, `user:${canary}@host`],
  BASE_URL: [...addresses, `https://user:${canary}@host`],
  VERIFY_URL: [...addresses, `https://user:${canary}@host`],
  SITE_NAME: [' ', `${canary}\nx`, canary.repeat(11), 'a\u0000b'],
  SIGN_UP: [canary, 'Open', 'none'],
  SANDBOX: [canary, 'yes', '1'],
  REVIEW: [canary, 'First', 'never'],
  SURFACE: [canary, 'License', 'none'],
  WORKERS: [...numbers, '0', '257'],
  METRICS_PORT: [...numbers, '65536'],
  METRICS_HOST: [`http://${canary}`, `${canary}/`],
  RATE_LIMIT_URL: [
    canary,
    'redis://',
    `http://:${canary}@host`,
    `redis://:${canary}#@host`,
    `redis://:1/${canary}@host`,
    `redis://user:${canary}`,
    `redis://:${canary}@host/first`,
    `redis+cluster://:${canary}@a,,b`,
    `redis+cluster://:${canary}@a/1`,
    `redis+cluster://:1/${canary}@a`,
    `redis+sentinel://:${canary}@a:26379`,
    `redis+sentinel://:${canary}@a/limits/${canary}`,
    `redis+sentinel://a/limits?${canary}=1`,
    `redis+other://:${canary}@a`,
  ],
  RATE_LIMIT_ACTIVATE: [...numbers, '0'],
  RATE_LIMIT_DEACTIVATE: [...numbers, '0'],
  RATE_LIMIT_STATUS: [...numbers, '0'],
  RATE_LIMIT_VERIFY: [...numbers, '0'],
  RATE_LIMIT_PAGES: [...numbers, '0'],
  RATE_LIMIT_HEALTH: [...numbers, '0'],
  RATE_LIMIT_HOOKS: [...numbers, '0'],
  STOP_DELAY: [...numbers, '-1', '301'],
  STALL_TIMEOUT: [...numbers, '0'],
  MAX_CONNECTIONS: [...numbers, '0'],
  MAX_PIPELINED: [...numbers, '0'],
  MAX_UNREAD: [...numbers, '0'],
  HSTS_INCLUDE_SUBDOMAINS: [canary, 'True', '1'],
  TRUSTED_PROXIES: [canary, '10.0.0.0/99', `loopback,${canary}`],
  FILES_URL: [
    canary,
    'disk:',
    `https://${canary}@host`,
    `s3://key:${canary}@bucket`,
    `s3://bucket?${canary}=1`,
    `s3://bucket?endpoint=http://key:${canary}@host`,
    `s3://bucket/${canary}//x`,
    `s3://${canary}_bucket`,
    `s3://bucket?region=${canary}/`,
    `s3://bucket?path_style=${canary}`,
    `s3://bucket#${canary}`,
  ],
  MAX_ZIP_SIZE: [...numbers, '0'],
  MAX_IMAGE_SIZE: [...numbers, '0'],
  MAX_CSV_SIZE: [...numbers, '0'],
  STORAGE_FREE: numbers,
  STORAGE_PRO: numbers,
  STORAGE_ENTERPRISE: numbers,
  DOWNLOAD_LINK_LIFETIME: [...numbers, '0'],
  AUDIT_RETENTION: [...numbers, '0', '1.5', 'never'],
  DEPLOYMENT_RETENTION: [...numbers, '0', '1.5', 'never'],
  API_KEY_PREFIX: [`${canary}-x`, 'LK', '1a'],
  ACCOUNT_ORIGINS: [
    `https://app.example.com/`,
    `https://${canary}.example/path`,
    `https://user:${canary}@host`,
    '*',
    'null',
    `https://ok.example,${canary}`,
    'https://App.example',
    'https://app.example:443',
    'https://app.example#',
  ],
  PURCHASE_CHECK_URL: [...addresses, `https://user:${canary}@host/path`, `https://${canary}@host/path`],
  PURCHASE_CHECK_TOKEN: [`${canary}\nX-Other: 1`, `${canary}é`],
  MAIL_URL: [
    canary,
    'smtp://',
    `http://user:${canary}@host`,
    `smtp://user:${canary}`,
    `smtp://user:1/${canary}@host`,
    `smtp://user:${canary}#@host`,
    `smtp://user:%zz${canary}@host`,
    `smtp://${canary}@host`,
    `smtp://:${canary}@host`,
    `smtp://user:${canary}@host/path`,
    `smtp://user:${canary}@host:99999`,
    `smtp://user:${canary}@host?${canary}=1`,
    `smtp://user:${canary}@host?starttls=${canary}`,
    `smtps://user:${canary}@host?starttls=optional`,
  ],
  WEBHOOK_ALLOW_HTTP: [canary, 'True', '1'],
  WEBHOOK_ALLOWED_NETWORKS: [
    canary,
    '10.0.0.0/99',
    `10.0.0.0/8,${canary}`,
    '10.0.0.1/8',
    '10.1',
    '0x7f000001',
    'loopback',
  ],
  MAIL_FROM: [
    canary,
    `${canary}@`,
    `a@example.com, ${canary}@example.com`,
    `A <a@example.com> ${canary}`,
    `${canary} a@example.com`,
    `Name\r\nBcc: ${canary}@example.com <a@example.com>`,
    `<${canary}>`,
  ],
  PAYMENTS_URL: [
    canary,
    'stripe',
    `stripe:${canary}`,
    'stripe:,stripe:',
    'test:,test:demo',
    'stripe:,test:demo',
    `manual:,${canary}`,
  ],
  PAYMENT_INSTRUCTIONS: [`${canary}\u0000`, `a\r${canary}`, canary.repeat(400)],
  MANUAL_PAYMENTS_BY: [canary, 'Operator', 'seller if alone'],
  STRIPE_SECRET_KEY: [
    canary,
    `pk_live_${canary}00`,
    `sk_org_live_${canary}00`,
    `sk_test_${canary}-x`,
    'sk_live_',
    `whsec_${canary}00`,
  ],
  STRIPE_WEBHOOK_SECRET: [canary, `whsec_0123456789,${canary}`, `whsec_${canary} x`, `sk_test_${canary}00`],
  STRIPE_AUTOMATIC_TAX: [canary, 'True', '1'],
  STRIPE_MANAGED_PAYMENTS: [canary, 'True', '1'],
  STRIPE_TAX_CODE: [canary, 'txcd_1', `txcd_${canary}`],
  STRIPE_API_URL: [...addresses, `https://user:${canary}@host`, `https://host/${canary}`],
  USDC_SOFT_LIMIT: [...numbers, '2.5', '1000001'],
  CHAINS: [
    canary,
    `https://${canary}`,
    `0:https://${canary}`,
    `1:${canary}`,
    `1:ftp://${canary}@host`,
    `1:https://user:1/${canary}@host`,
    `1:https://ok.example,`,
    `1:https://ok.example;1:https://${canary}.example`,
    `1:https://${canary}.example,https://${canary}.example`,
    `1:${['a', 'b', 'c', 'd', 'e', 'f'].map((host) => `https://${host}.example/${canary}`).join(',')}`,
    `-1:https://${canary}.example`,
  ],
  REQUEST_TIMEOUT: [...numbers, '0'],
  OTEL_EXPORTER_OTLP_ENDPOINT: addresses,
  LOG_LEVEL: [canary, 'INFO', 'verbose'],
  LOG_FORMAT: [canary, 'JSON', 'text'],
};

/** Operators would copy an example of a secret. So the message shows a command instead, and this is the command's output. */
const made: Readonly<Record<string, string>> = {
  'the output of `openssl rand -hex 32`': randomBytes(32).toString('hex'),
};

describe('an invalid setting', () => {
  for (const name of names) {
    it(`${name}: the message says what it must be, with an example, and does not contain the value`, () => {
      for (const value of invalidValues[name]) {
        const refusal = refusalOf(name, value);
        expect(refusal, value).to.match(new RegExp(`^${name} must be .+, such as \\S.*\\.$`));
        expect(refusal, value).to.not.match(/Invalid|NaN|received|expected|undefined|\n/);
        expect(refusal, value).to.not.include(canary);
      }
    });
  }

  it('has a message with a valid example', () => {
    for (const name of names) {
      const [, examples = ''] = /, such as (.+)$/.exec(variables[name].schema.description ?? '') ?? [];
      const [first = ''] = examples.split(' ');
      const example = made[examples] ?? first;
      expect(refusalOf(name, example), `${name}=${example}`).to.equal(undefined);
    }
  });

  itLong('is never printed, whatever its value is', () => {
    const glue = fc.constantFrom(':', '/', '//', '@', '?', '#', '=', '&', ',', ' ', '%', '\n', 'é', 'a', '1', '[');
    const schemes = [
      'postgres://',
      'redis://',
      'smtp://',
      'redis+cluster://',
      'redis+sentinel://',
      's3://',
      'https://',
      'sqlite:',
      'disk:',
      's3://bucket?endpoint=',
      '',
    ];
    const value = fc
      .tuple(fc.constantFrom(...schemes), fc.array(glue, { maxLength: 6 }), fc.array(glue, { maxLength: 6 }))
      .map(([scheme, before, after]) => `${scheme}${before.join('')}${canary}${after.join('')}`);
    fc.assert(
      fc.property(fc.constantFrom(...names), value, (name, text) => {
        expect(refusalOf(name, text) ?? '').to.not.include(canary);
      }),
      { numRuns: runs(3_000) },
    );
  });
});

describe('DATABASE_READ_URL', () => {
  it('is refused in one sentence if the database is not Postgres', () => {
    for (const DATABASE_URL of ['sqlite:./x.db', 'memory:']) {
      expect(() => readConfig({ DATABASE_URL, DATABASE_READ_URL: `postgres://u:${canary}@host/db` }))
        .to.throw(WrongSetting, /^DATABASE_READ_URL is for Postgres only: [^.]+\.$/)
        .with.property('message')
        .that.does.not.include(canary);
    }
  });
});

describe('MAIL_URL', () => {
  const of = (MAIL_URL: string, MAIL_FROM = 'Latchkey <a@example.com>') => readConfig({ MAIL_URL, MAIL_FROM });

  it('needs a sender if it names a mail server', () => {
    expect(() => of(`smtp://u:${canary}@host`, ''))
      .to.throw(WrongSetting, /^MAIL_FROM is needed with a mail server: [^.]+\.com\.$/)
      .with.property('message')
      .that.does.not.include(canary);
    expect(of('outbox:', '').MAIL_FROM).to.equal(undefined);
  });

  it('demands TLS for a password, unless STARTTLS is optional', () => {
    const server = (url: string) => {
      const { MAIL_URL: place } = of(url);
      return place.kind === 'smtp' ? place.server : undefined;
    };
    const login = { user: 'u@x', password: 'p:/' };
    const host = 'mail.example.com';
    expect(server('smtp://mail.example.com')).to.deep.equal({ host, port: 587, isTls: false, needsTls: false });
    expect(server('smtp://u%40x:p%3A%2F@mail.example.com:25')).to.deep.equal({
      ...{ host, port: 25, isTls: false, needsTls: true, login },
    });
    expect(server('smtp://u%40x:p%3A%2F@mail.example.com?starttls=optional')?.needsTls).to.equal(false);
    expect(server('smtp://[::1]:25/?starttls=required')).to.deep.equal({
      ...{ host: '::1', port: 25, isTls: false, needsTls: true },
    });
    expect(server('smtps://u%40x:p%3A%2F@mail.example.com')).to.deep.equal({
      ...{ host, port: 465, isTls: true, needsTls: true, login },
    });
  });

  it('has a sender with or without a name', () => {
    const from = (text: string) => of('outbox:', text).MAIL_FROM;
    expect(from('a@example.com')).to.deep.equal({ name: '', address: 'a@example.com' });
    expect(from('Ada & Co. <a@example.com>')).to.deep.equal({ name: 'Ada & Co.', address: 'a@example.com' });
    expect(from('"Ada, Co." <a@example.com>')).to.deep.equal({ name: 'Ada, Co.', address: 'a@example.com' });
  });
});

describe('ACCOUNT_ORIGINS', () => {
  const refusal = (value: string) => refusalOf('ACCOUNT_ORIGINS', value);

  it('accepts origins as browsers send them', () => {
    for (const origins of [
      '',
      'https://app.example.com',
      'https://a.example, http://localhost:5173',
      'http://[::1]:3000',
      'https://xn--mnchen-3ya.de',
      'chrome-extension://abcdef',
      'capacitor://localhost',
    ]) {
      expect(refusal(origins), origins).to.equal(undefined);
    }
  });

  it('says which value is not an origin, and why', () => {
    expect(refusal('https://app.example.com/')).to.match(/: number 1 ends with a slash or has a path/);
    expect(refusal('https://a.example,https://b.example/shop')).to.match(/: number 2 ends with a slash or has a path/);
    expect(refusal('app.example.com')).to.match(/: number 1 has no scheme and host/);
    expect(refusal('*')).to.match(/: number 1 has no scheme and host/);
    expect(refusal('https://App.example.com')).to.match(/: number 1 is not written as browsers send it: lower case/);
    expect(refusal('https://u:p@app.example.com')).to.match(/: number 1 has a user or password/);
  });
});

describe('an address with a password', () => {
  it('is refused with a hint which characters of a password to escape, if it cannot be parsed', () => {
    for (const value of ['postgres://u:a#b@host/db', 'postgres://u:1/b@host/db']) {
      expect(refusalOf('DATABASE_URL', value)).to.include('write %2F for /');
    }
    expect(refusalOf('RATE_LIMIT_URL', 'redis://:1/b@host')).to.include('write %2F for /');
  });

  it('is accepted in every form that the driver accepts', () => {
    for (const value of [
      'postgres://u:a%23b@host:5433/db?sslmode=require',
      'postgresql:///db?host=/var/run/postgresql',
      'postgres://u:p@/db?host=/tmp',
      'postgres://host',
      'postgres://u:a b@host/db?options=-c%20search_path%3Dx',
      'postgres://a,b/db?target_session_attrs=read-write',
      'postgres://u:p%2C@a:5432,[::1]:5433/db',
    ]) {
      expect(refusalOf('DATABASE_URL', value), value).to.equal(undefined);
    }
    for (const value of [
      'rediss://u:p%40@host:6380/1',
      'redis+cluster://u:p%2C@a:7000,[::1]:7001',
      'rediss+sentinel://:p@a,b:26380/limits/1?sentinel_password=q',
    ]) {
      expect(refusalOf('RATE_LIMIT_URL', value), value).to.equal(undefined);
    }
  });
});

describe('PAYMENTS_URL', () => {
  const key = 'sk_test_0123456789';
  const secret = 'whsec_0123456789';
  const ready = { PAYMENTS_URL: 'stripe:', STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret };

  it('names who takes the money, in any order, and nobody by default', () => {
    const of = (PAYMENTS_URL: string) =>
      readConfig({ ...ready, PAYMENTS_URL, PAYMENT_INSTRUCTIONS: 'By bank.' }).PAYMENTS_URL;
    expect(of('')).to.deep.equal({ stripe: false, manual: false, test: undefined });
    expect(of(' test: , stripe:,manual:')).to.deep.equal({ stripe: true, manual: true, test: 'test products' });
    expect(of('test:demo,manual:')).to.deep.equal({ stripe: false, manual: true, test: 'all products' });
  });

  it('takes the mode of Stripe from the key', () => {
    const isLive = (STRIPE_SECRET_KEY: string) => readConfig({ ...ready, STRIPE_SECRET_KEY }).STRIPE_SECRET_KEY?.isLive;
    expect([isLive('sk_live_01234567'), isLive('rk_live_01234567')]).to.deep.equal([true, true]);
    expect([isLive('sk_test_01234567'), isLive('rk_test_01234567')]).to.deep.equal([false, false]);
  });

  it('says what is wrong with a key or a secret, without a part of it', () => {
    const form = 'STRIPE_SECRET_KEY must be a key of Stripe that begins with sk_live_, rk_live_, sk_test_ or rk_test_';
    const secretForm = 'STRIPE_WEBHOOK_SECRET must be secrets of Stripe that begin with whsec_, separated by commas';
    const mistakes: readonly (readonly [given: Record<string, string>, message: string])[] = [
      [{ STRIPE_SECRET_KEY: 'sk_test_x' }, 'it is too short: at least 8 characters follow its beginning'],
      [{ STRIPE_SECRET_KEY: 'rk_live_' }, 'it is too short: at least 8 characters follow its beginning'],
      [{ STRIPE_SECRET_KEY: 'sk_live_x1y2z3…' }, 'it has a character that is not a letter, a digit or _'],
      [{ STRIPE_SECRET_KEY: 'pk_test_x1y2z3x1y2z3' }, 'it is a publishable key, which is for browsers'],
      [{ STRIPE_SECRET_KEY: 'sk_org_live_x1y2z3' }, 'it is the key of an organization, not of an account'],
      [{ STRIPE_SECRET_KEY: 'whsec_x1y2z3x1y2z3' }, 'it is the secret of a webhook endpoint, not a key'],
      [{ STRIPE_SECRET_KEY: 'x1y2z3' }, 'it has none of these beginnings'],
      [{ STRIPE_WEBHOOK_SECRET: `${secret},x1y2z3` }, 'number 2 has another beginning'],
      [
        { STRIPE_WEBHOOK_SECRET: 'whsec_x1y2z3…' },
        'number 1 has a character that is not a letter, a digit, _, +, / or =',
      ],
      [{ STRIPE_WEBHOOK_SECRET: 'whsec_x1y2z3' }, 'number 1 is too short: at least 8 characters follow its beginning'],
    ];
    for (const [given, message] of mistakes) {
      const isKey = 'STRIPE_SECRET_KEY' in given;
      const whole = `${isKey ? form : secretForm}, such as ${isKey ? key : secret}: ${message}.`;
      expect(() => readConfig({ ...ready, ...given }))
        .to.throw(WrongSetting)
        .with.property('message', whole);
    }
  });

  it('takes two signing secrets while one replaces the other', () => {
    const { STRIPE_WEBHOOK_SECRET: secrets } = readConfig({
      ...ready,
      STRIPE_WEBHOOK_SECRET: `${secret}, whsec_new00000`,
    });
    expect(secrets).to.deep.equal([secret, 'whsec_new00000']);
  });

  const incomplete: readonly (readonly [setting: string, given: Record<string, string>])[] = [
    ['STRIPE_SECRET_KEY', { ...ready, STRIPE_SECRET_KEY: '' }],
    ['STRIPE_WEBHOOK_SECRET', { ...ready, STRIPE_WEBHOOK_SECRET: '' }],
    ['PAYMENT_INSTRUCTIONS', { ...ready, PAYMENTS_URL: 'stripe:,manual:' }],
    ['STRIPE_API_URL', { ...ready, STRIPE_SECRET_KEY: 'sk_live_0123456789', STRIPE_API_URL: 'http://127.0.0.1:1' }],
    ['STRIPE_TAX_CODE', { ...ready, STRIPE_MANAGED_PAYMENTS: 'true' }],
    [
      'STRIPE_AUTOMATIC_TAX',
      { ...ready, STRIPE_MANAGED_PAYMENTS: 'true', STRIPE_AUTOMATIC_TAX: 'true', STRIPE_TAX_CODE: 'txcd_10202003' },
    ],
  ];
  for (const [setting, given] of incomplete) {
    it(`is refused in one sentence without a fitting ${setting}`, () => {
      expect(() => readConfig(given))
        .to.throw(WrongSetting, new RegExp(`^${setting} [^.]+\\.$`))
        .with.property('message')
        .that.does.not.include('0123456789');
    });
  }

  it('is complete with an address of Stripe that tests use', () => {
    expect(readConfig({ ...ready, STRIPE_API_URL: 'http://127.0.0.1:4242' }).STRIPE_API_URL).to.equal(
      'http://127.0.0.1:4242',
    );
    expect(readConfig({ ...ready }).STRIPE_API_URL).to.equal('https://api.stripe.com');
  });
});

describe('SANDBOX', () => {
  it('overrides in a sandbox what would send mails, take money or call others, and bounds what is kept', () => {
    const open = {
      SIGN_UP: 'open',
      MAIL_URL: 'smtp://mail.example.com',
      MAIL_FROM: 'a@example.com',
      PAYMENTS_URL: 'stripe:,manual:',
      PAYMENT_INSTRUCTIONS: 'Pay.',
      STRIPE_SECRET_KEY: 'sk_live_0123456789',
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789',
      STRIPE_AUTOMATIC_TAX: 'true',
      CHAINS: '1:https://rpc.example.com',
      PURCHASE_CHECK_URL: 'https://shop.example.com',
      MAX_ZIP_SIZE: '5000',
      STORAGE_PRO: '999999999999',
    };
    const config = readConfig({ ...open, SANDBOX: 'true' });
    expect(config).to.deep.include({ SANDBOX: true, SIGN_UP: 'closed', PURCHASE_CHECK_URL: '', CHAINS: new Map() });
    expect(config.MAIL_URL).to.deep.equal(readConfig({}).MAIL_URL);
    expect(config.PAYMENTS_URL).to.deep.equal(readConfig({ PAYMENTS_URL: 'test:' }).PAYMENTS_URL);
    expect(config.STRIPE_SECRET_KEY).to.equal(undefined);
    expect(config).to.deep.include({ MAX_ZIP_SIZE: 5_000, MAX_IMAGE_SIZE: 1_048_576, MAX_CSV_SIZE: 1_048_576 });
    expect(config).to.deep.include({ STORAGE_FREE: 10_485_760, STORAGE_PRO: 10_485_760, REQUEST_TIMEOUT: 600 });
    // So that no setting in the database wins either.
    expect(config.given).to.deep.include({ SIGN_UP: 'closed', MAIL_URL: 'outbox:', PAYMENTS_URL: 'test:' });
    expect(config.given).not.to.have.any.keys('STRIPE_SECRET_KEY', 'CHAINS');
    expect(readConfig(open).SIGN_UP).to.equal('open');
  });
});
