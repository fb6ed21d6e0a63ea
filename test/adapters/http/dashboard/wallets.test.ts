import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { day, minute } from '../../../../core/time.ts';
import { itLong } from '../../../support/required-service.ts';
import { type DashboardService, type Person, startDashboardService } from './dashboard-service.ts';

const path = '/selling/live/orders/wallets';
const wallet = () => privateKeyToAccount(generatePrivateKey());
type Wallet = ReturnType<typeof wallet>;

/** An RPC of the chain in its path, on which every address belongs to a key. */
function chainWithoutContracts(): Server {
  const answers: Readonly<Record<string, unknown>> = {
    eth_getBlockByNumber: { number: '0x1', hash: `0x${'ab'.repeat(32)}`, timestamp: '0x1' },
    eth_getCode: '0x',
  };
  return createServer(async (request, response) => {
    const { id, method } = (await json(request)) as { id: number; method: string };
    const chainId = Number(request.url?.replace('/secret/', ''));
    const result = method === 'eth_chainId' ? `0x${chainId.toString(16)}` : answers[method];
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
}

describe('the pages of wallets', () => {
  let service: DashboardService;
  let ada: Person;
  let rpc: Server;
  before(async () => {
    rpc = chainWithoutContracts().listen(0, '127.0.0.1');
    await once(rpc, 'listening');
    const url = `http://127.0.0.1:${(rpc.address() as AddressInfo).port}`;
    service = await startDashboardService({
      CHAINS: [8453, 84_532].map((id) => `${id}:${url}/secret/${id}`).join(';'),
    });
  });
  beforeEach(async () => {
    ada = await service.signedInUser({ name: 'Ada' });
  });
  after(async () => {
    await service.close();
    rpc.close();
    rpc.closeAllConnections();
  });

  /** Enters an address, and returns the text to sign. */
  async function textFor(person: Person, address: string, chain = '8453', at = path): Promise<string> {
    const asked = await person.browser.fill(at, { chain, address });
    expect([asked.status, asked.location], asked.text).to.deep.equal([303, `${at}/sign`]);
    const page = await person.browser.get(`${at}/sign`);
    return /<textarea[^>]*id="text"[^>]*>([^<]*)</.exec(page.html)?.[1] ?? '';
  }

  async function enter(person: Person, one: Wallet, chain = '8453', at = path) {
    const message = await textFor(person, one.address, chain, at);
    const signed = await person.browser.fill(`${at}/sign`, { signature: await one.signMessage({ message }) });
    expect([signed.status, signed.location], signed.text).to.deep.equal([303, at]);
    return await person.browser.follow(signed);
  }

  it('take an address whose owner has signed a text of this site', async () => {
    const own = wallet();
    const message = await textFor(ada, own.address);
    expect(message).to.match(new RegExp(`^${new URL(service.url).host} wants you to sign in`));
    const signature = await own.signMessage({ message });
    const used = await ada.browser.follow(await ada.browser.fill(`${path}/sign`, { signature }));
    expect(used.text).to.include('Buyers can pay to it now');
    expect(used.html).to.include(own.address);
    expect(used.html).not.to.include('secret');
    const [letter] = (await service.letters(ada.email)).slice(-1);
    expect(letter?.text).to.include(own.address);
  });

  itLong('refuse the signature of somebody else, of another text, and one that was used', async () => {
    const own = wallet();
    const message = await textFor(ada, own.address);
    const wrong = async (signature: string) => {
      const page = await ada.browser.fill(`${path}/sign`, { signature });
      expect(page.status).to.equal(422);
      return page.text;
    };
    const notSigned = 'This is no signature of the text by this address';
    expect(await wrong(await wallet().signMessage({ message }))).to.include(notSigned);
    expect(await wrong(await own.signMessage({ message: message.replace('8453', '1') }))).to.include(notSigned);
    expect(await wrong('0x00')).to.include(notSigned);
    const signature = await own.signMessage({ message });
    const form = await ada.browser.get(`${path}/sign`);
    expect((await ada.browser.submit(form, { signature })).status).to.equal(303);
    const again = await ada.browser.submit(form, { signature });
    expect([again.status, again.text.includes('There is no text to sign')]).to.deep.equal([422, true]);
  });

  itLong('refuse a signature for the text of another person', async () => {
    const own = wallet();
    const eve = await service.signedInUser({ name: 'Eve' });
    const message = await textFor(ada, own.address);
    await textFor(eve, own.address);
    const page = await eve.browser.fill(`${path}/sign`, { signature: await own.signMessage({ message }) });
    expect(page.status).to.equal(422);
  });

  it('refuse a text after five minutes', async () => {
    const own = wallet();
    const message = await textFor(ada, own.address);
    const form = await ada.browser.get(`${path}/sign`);
    service.clock.advance(5 * minute);
    const late = await ada.browser.submit(form, { signature: await own.signMessage({ message }) });
    expect([late.status, late.text.includes('There is no text to sign')]).to.deep.equal([422, true]);
    expect((await ada.browser.get(`${path}/sign`)).text).to.include('There is no text to sign');
  });

  it('let another address wait for a day, with a mail, and need the password', async () => {
    const [first, second] = [wallet(), wallet()];
    await enter(ada, first);
    const page = await enter(ada, second);
    expect(page.text).to.include('from tomorrow on');
    expect(page.html).to.include(first.address).and.to.include(second.address);
    const mails = (await service.letters(ada.email)).map(({ text }) => text);
    expect(mails.at(-1)).to.include(second.address).and.to.include('Until then, nothing changes');
    service.clock.advance(day);
    const later = await ada.browser.get(path);
    expect(later.html).not.to.include(first.address);
    expect(later.html).to.include(second.address);
    const unconfirmed = await ada.browser.fill(path, { chain: '8453', address: first.address });
    expect([unconfirmed.status, unconfirmed.text.includes('password')]).to.deep.equal([422, true]);
  });

  itLong('remove an address after a question', async () => {
    await enter(ada, wallet());
    const removed = await ada.browser.follow(await ada.browser.fill(`${path}/8453/remove`, {}));
    expect(removed.text).to.include('The address is removed').and.to.include('There is no address yet');
    expect((await ada.browser.get(`${path}/8453/remove`)).status).to.equal(404);
  });

  it('refuse what is no address, the contract of USDC, and a chain without RPC', async () => {
    const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
    const refused = async (fields: Record<string, string>) => {
      const page = await ada.browser.fill(path, { chain: '8453', address: wallet().address, ...fields });
      expect(page.status, JSON.stringify(fields)).to.equal(422);
      return page.text;
    };
    expect(await refused({ address: 'ada.eth' })).to.include('Enter an address such as');
    expect(await refused({ address: usdc })).to.include('the contract of USDC itself');
    expect(await refused({ chain: '1' })).to.include('Choose a chain');
  });

  it('are for administrators, if the products are those of the site', async () => {
    const at = '/admin/settings/wallets';
    expect((await ada.browser.get(at)).status).to.equal(403);
    const root = await service.signedInUser({ name: 'Root', role: 'admin' });
    expect((await root.browser.get('/admin/settings')).html).to.include(at.slice(1));
    const own = wallet();
    expect((await enter(root, own, '84532', at)).html).to.include(own.address);
    expect((await root.browser.get(path)).html).not.to.include(own.address);
  });

  itLong('are not there without a chain', async () => {
    await using other = await startDashboardService();
    const root = await other.signedInUser({ name: 'Root', role: 'admin' });
    for (const at of [path, `${path}/sign`, `${path}/1/remove`, '/admin/settings/wallets']) {
      expect((await root.browser.get(at)).status, at).to.equal(404);
      expect((await root.browser.post(at, {})).status, at).to.equal(404);
    }
    expect((await root.browser.get('/selling/live/orders')).html).not.to.include('/wallets"');
    expect((await root.browser.get('/admin/settings')).html).not.to.include('/wallets"');
  });
});
