import { expect } from 'chai';
import type { Signer } from '../../../adapters/contracts/signer.ts';
import { createSigner } from '../../../adapters/node/signer.ts';
import { createDomainProofs } from '../../../adapters/proofs/domain-proofs.ts';
import { longestFile } from '../../../adapters/proofs/read-file.ts';
import { createIsAllowed } from '../../../adapters/public-addresses.ts';
import { askedBy } from '../../../core/ports/domain-proofs.ts';
import { isRefused } from '../../../core/refusal.ts';
import { type Certificate, makeCertificate } from '../../support/certificates.ts';
import { until } from '../../support/eventually.ts';
import { domain, keyNumber } from '../../support/license-acts.ts';
import { startNameServer } from '../../support/name-server.ts';
import { itLong } from '../../support/required-service.ts';
import { answers, type Behaviour, dripsBody, hangs, startReceiver } from '../../support/webhook-receiver.ts';

const signer = createSigner('a secret of the server');
const key = keyNumber(1);
const shop = domain('shop.example.com');
const isAllowed = createIsAllowed(['127.0.0.1']);
const { textFor } = createDomainProofs({ signer });
const right = textFor(key, shop);
const failed = { record: 'failed', file: 'failed' };

describe('the proof of a domain', () => {
  let authority: Certificate;
  let tls: Certificate;
  before(async () => {
    authority = await makeCertificate({ host: 'An authority', isAuthority: true });
    tls = await makeCertificate({ by: authority, host: shop });
  });

  /** Asks a name server and a site of the test's own. */
  async function find({
    txt = [],
    site = answers(404),
    addresses = () => ['127.0.0.1'],
    certificate = tls,
    ...more
  }: {
    txt?: readonly string[] | undefined | null;
    site?: Behaviour;
    addresses?: (count: number) => readonly string[];
    certificate?: Certificate;
    isAllowed?: (address: string) => boolean;
    former?: readonly Signer[];
    patience?: number;
  }) {
    await using receiver = await startReceiver(site, { tls: certificate });
    let count = 0;
    await using names = await startNameServer((_, type) =>
      type === 'TXT' ? (txt ?? undefined) : type === 'A' ? addresses(count++) : [],
    );
    const proofs = createDomainProofs({
      ...{ signer, isAllowed, servers: [names.address], port: receiver.port, tls: { ca: authority.cert } },
      ...more,
    });
    const found = await proofs.find(key, shop, '192.0.2.1');
    await until(() => receiver.open() === 0);
    return { found, asked: names.asked, received: receiver.received, connections: receiver.connections() };
  }

  it('is a text of its own for each license and each domain, which only this server can make', () => {
    const texts = [
      right,
      textFor(keyNumber(2), shop),
      textFor(key, domain('example.com')),
      createDomainProofs({ signer: createSigner('another secret') }).textFor(key, shop),
    ];
    expect(new Set(texts).size).to.equal(4);
    for (const text of texts) expect(text).to.match(/^lk=[\w-]{43}$/);
    expect(right).to.equal(createDomainProofs({ signer: createSigner('a secret of the server') }).textFor(key, shop));
  });

  it('is found in a TXT record, also among others', async () => {
    const { found, asked } = await find({ txt: ['v=spf1 -all', right] });
    expect(found).to.equal('found');
    expect(asked).to.include('TXT _latchkey.shop.example.com');
  });

  it('is found on the site, also among others', async () => {
    const { found, received } = await find({ site: answers(200, {}, `# ours\r\nlk=other\r\n  ${right}\r\n`) });
    expect(found).to.equal('found');
    expect(received.map(({ method, path }) => [method, path])).to.deep.equal([['GET', '/.well-known/latchkey.txt']]);
    expect(received[0]?.headers.host).to.match(/^shop\.example\.com/);
  });

  it('is not the text of another license, and no text that only contains it', async () => {
    for (const text of [textFor(keyNumber(2), shop), `x${right}`, `${right}x`, right.toLowerCase(), '']) {
      expect((await find({ txt: [text], site: answers(200, {}, text) })).found, text).to.not.equal('found');
    }
  });

  itLong(
    'is missing in each place for a reason: nothing, another proof, or that the place cannot be read',
    async () => {
      const nothing = { record: 'nothing', file: 'nothing' };
      expect((await find({})).found).to.deep.equal(nothing);
      expect((await find({ txt: ['v=spf1 -all'], site: answers(200, {}, '# ours') })).found).to.deep.equal(nothing);
      expect((await find({ site: answers(410) })).found).to.deep.equal(nothing);
      const other = textFor(keyNumber(2), shop);
      expect((await find({ txt: [other] })).found).to.deep.equal({ ...nothing, record: 'other_text' });
      expect((await find({ site: answers(200, {}, other) })).found).to.deep.equal({ ...nothing, file: 'other_text' });
      expect((await find({ site: answers(500, {}, right) })).found).to.deep.equal({ ...nothing, file: 'failed' });
      expect((await find({ txt: null, site: hangs, patience: 200 })).found).to.deep.equal(failed);
    },
  );

  it('is not what a site sends with an error, or after a redirect', async () => {
    expect((await find({ site: answers(403, {}, right) })).found).to.not.equal('found');
    const moved = await find({
      site: answers(302, { location: 'https://other.example/.well-known/latchkey.txt' }, right),
    });
    expect([moved.found, moved.received.length, moved.asked.filter((one) => one.includes('other'))]).to.deep.equal([
      { record: 'nothing', file: 'failed' },
      1,
      [],
    ]);
  });

  it('is not in a file that is too long', async () => {
    const file = (length: number) => answers(200, {}, `${right}\n`.padEnd(length, 'x'));
    expect((await find({ site: file(longestFile) })).found).to.equal('found');
    expect((await find({ site: file(longestFile + 1) })).found).to.not.equal('found');
  });

  itLong('is not on a site with a certificate of another host, or of nobody known', async () => {
    const site = answers(200, {}, right);
    for (const certificate of [
      await makeCertificate({ by: authority, host: 'other.example.com' }),
      await makeCertificate({ host: shop }),
    ]) {
      const { found, received } = await find({ site, certificate });
      expect([found, received.length]).to.deep.equal([{ record: 'nothing', file: 'failed' }, 0]);
    }
  });

  it('is never looked up at addresses that are not public', async () => {
    const site = answers(200, {}, right);
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '0.0.0.0']) {
      const { found, connections } = await find({ site, addresses: () => [address], isAllowed: createIsAllowed([]) });
      expect([found, connections], address).to.deep.equal([{ record: 'nothing', file: 'failed' }, 0]);
    }
  });

  it('is not what a name leads to that first has a public address and then a private one', async () => {
    const isPublic = createIsAllowed([]);
    const seen: string[] = [];
    // The connection to the public address is refused before it is made, so that the test needs no network.
    const note = (address: string) => {
      seen.push(address);
      return isPublic(address) && address !== '8.8.8.8';
    };
    const { found, connections, asked } = await find({
      site: answers(200, {}, right),
      addresses: (count) => [count === 0 ? '8.8.8.8' : '127.0.0.1'],
      isAllowed: note,
    });
    expect([found, connections, seen]).to.deep.equal([{ record: 'nothing', file: 'failed' }, 0, ['8.8.8.8']]);
    expect(asked.filter((one) => one === `A ${shop}`)).to.have.lengthOf(1);
  });

  it('is given up when the time is over: silent name servers, silent sites and slow ones', async () => {
    const patience = 200;
    for (const [txt, site] of [
      [null, hangs],
      [[], hangs],
      [[], dripsBody],
    ] as const) {
      const start = performance.now();
      expect((await find({ txt, site, patience })).found).to.not.equal('found');
      expect(performance.now() - start).to.be.below(2_000);
    }
  });

  it('does not wait for the site if the record is there, nor for the record if the site has it', async () => {
    const start = performance.now();
    expect((await find({ txt: [right], site: hangs })).found).to.equal('found');
    expect((await find({ txt: null, site: answers(200, {}, right) })).found).to.equal('found');
    expect(performance.now() - start).to.be.below(4_000);
  });

  it('is one that a former secret of the server has made, too', async () => {
    const { textFor: formerText } = createDomainProofs({ signer: createSigner('a former secret') });
    const former = [createSigner('an older secret'), createSigner('a former secret')];
    const txt = [formerText(key, shop)];
    expect((await find({ txt, former })).found).to.equal('found');
    expect((await find({ txt })).found).to.not.equal('found');
    expect(createDomainProofs({ signer, former }).textFor(key, shop)).to.equal(right);
  });

  it('is looked up twelve times at a time to explain, so that many accounts leave places for activations', async () => {
    await using names = await startNameServer(() => undefined);
    const proofs = createDomainProofs({ signer, servers: [names.address], patience: 300 });
    const asked = Array.from({ length: 30 }, (_, n) =>
      proofs.find(key, domain(`e${n}.example.com`), askedBy(Math.floor(n / 3))),
    );
    const own = proofs.find(key, shop, '192.0.2.1');
    const ends = await Promise.all(asked);
    const refused = ends.flatMap((end, n) => ('reason' in Object(end) ? [n] : []));
    expect(ends.length - refused.length).to.equal(12);
    expect(refused.slice(0, 2), 'the third of an account').to.deep.equal([2, 5]);
    expect(await own).to.deep.equal(failed);
  });

  it('is looked up four times at a time for a network, and 32 times altogether. More is refused, with the time to wait', async () => {
    await using names = await startNameServer(() => undefined);
    const proofs = createDomainProofs({ signer, servers: [names.address], patience: 300 });
    const numbers = Array.from({ length: 40 }, (_, n) => n + 1);
    const hosts = numbers.map((n) => domain(`h${n}.example.com`));
    const all = Promise.all(hosts.slice(0, 5).map((host) => proofs.find(key, host, '192.0.2.1')));
    // The license is that of the others, and they take nothing from its owner.
    expect(await proofs.find(key, shop, '192.0.2.2')).to.deep.equal(failed);
    const ends = await all;
    expect(ends.slice(0, 4)).to.deep.equal([failed, failed, failed, failed]);
    expect(ends[4]).to.deep.include({ reason: 'rate_limit_exceeded', figures: { retry_after: 1 } });
    const many = await Promise.all(hosts.map((host, n) => proofs.find(key, host, `192.0.2.${n}`)));
    expect(many.filter((one) => !isRefused(one))).to.have.lengthOf(32);
    expect(await proofs.find(key, shop, '192.0.2.1')).to.deep.equal(failed);
  });

  it('is looked up once for calls about the same license and domain at the same time', async () => {
    await using names = await startNameServer(() => undefined);
    const proofs = createDomainProofs({ signer, servers: [names.address], patience: 300 });
    const same = await Promise.all(Array.from({ length: 9 }, () => proofs.find(key, shop, '192.0.2.1')));
    expect(same.every((one) => !isRefused(one))).to.equal(true);
    const others = await Promise.all([1, 2, 3, 4, 5].map((n) => proofs.find(keyNumber(n), shop, '192.0.2.1')));
    expect(others.filter((one) => !isRefused(one))).to.have.lengthOf(4);
  });
});
