import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { scenarios } from '../../../apps/cli/scenarios.ts';
import { makeComputer } from '../../support/cli.ts';
import { itLong, needing, skipLong } from '../../support/required-service.ts';
import { type Simulated, startSimulation } from '../../support/simulation.ts';

needing(skipLong).describe('latchkey simulate', () => {
  let simulated: Simulated;
  let url: string;
  let key: string;
  before(async () => {
    simulated = await startSimulation('--scenario', 'revoked', '--delay', '1');
    ({ url, key } = simulated);
  });
  after(() => simulated?.end());

  const switchTo: Simulated['switchTo'] = (scenario) => simulated.switchTo(scenario);
  const verify = () => fetch(`${url}/verify?license_key=${key.toLowerCase()}&domain=site.example`);
  const activate = () =>
    fetch(`${url}/api/license/activate`, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ license_key: key, domain: 'https://Site.example/' }),
    });

  it('answers with a license in the state that was asked for, under one key for all states', async () => {
    const codes: Record<string, unknown> = { revoked: (await (await verify()).json()).error };
    for (const scenario of ['suspended', 'expired', 'valid'] as const) {
      await switchTo(scenario);
      codes[scenario] = (await (await verify()).json()).error;
    }
    expect(codes).to.deep.equal({
      ...{ revoked: 'revoked', suspended: 'suspended', expired: 'expired', valid: 'invalid_domain' },
    });
    expect(await (await activate()).json()).to.deep.include({ domain: 'site.example', license_key: key });
    expect(await (await verify()).json()).to.include({ valid: true });
    const { license } = await (await fetch(`${url}/status?license_key=${key}`)).json();
    expect(license).to.deep.include({ key, status: 'active', domains_used: 1 });
    await switchTo('suspended');
    const { license: held } = await (await fetch(`${url}/status?license_key=${key}`)).json();
    expect(held, 'with the same domains').to.deep.include({ key, status: 'suspended', domains_used: 1 });
    const { headers } = await verify();
    expect(headers.get('X-RateLimit-Remaining'), 'as a real server').to.match(/^\d+$/);
    expect(await (await fetch(`${url}/llms.txt`)).text()).to.include(`${url}/docs/license-api.md`);
  });

  it('takes calls as any client sends them', async () => {
    await simulated.switchTo('valid');
    const body = JSON.stringify({ license_key: key, domain: 'other.example' });
    const asked = request(`${url}/activate`, {
      ...{ method: 'POST', headers: { 'Content-Type': 'application/json', Expect: '100-continue' } },
    });
    // In chunks, without a length.
    asked.write(body.slice(0, 9));
    asked.end(body.slice(9));
    const [answer] = await once(asked, 'response');
    expect(JSON.parse(await text(answer))).to.include({ success: true, domain: 'other.example' });
  });

  it('fails in each way in which a server can', async () => {
    await switchTo('limit');
    const limited = await activate();
    expect([limited.status, limited.headers.get('Retry-After')]).to.deep.equal([429, '60']);
    expect(await limited.json()).to.include({ success: false, error: 'rate_limit_exceeded' });
    expect((await fetch(`${url}/docs`)).status, 'the guides take no part').to.equal(200);
    await switchTo('error');
    const failed = await verify();
    expect([failed.status, await failed.json()]).to.deep.equal([
      503,
      { valid: false, error: 'service_unavailable', message: 'The server cannot answer at the moment. Try again.' },
    ]);
    await switchTo('outage');
    expect(await verify().catch(({ message }: Error) => message)).to.equal('fetch failed');
    await switchTo('slow');
    const started = performance.now();
    expect((await verify()).status).to.equal(200);
    expect(performance.now() - started, 'the delay').to.be.at.least(950);
  });

  it('names the scenarios if it does not know one', async () => {
    for (const body of ['', '{}', '{"scenario":"nothing"}', '[]', 'null']) {
      const answer = await fetch(`${url}/simulate`, { method: 'POST', body });
      expect(answer.status, body).to.equal(422);
      expect((await answer.json()).message, body).to.include(scenarios.join(', '));
    }
    expect((await simulated.computer.run(['simulate', '--scenario', 'nothing'])).code).to.equal(2);
  });

  itLong('says what to do if the server is not installed, or its port is taken', async () => {
    const bare = await makeComputer({});
    const taken = createServer();
    try {
      const missing = await bare.run(['simulate']);
      expect(missing.code).to.equal(1);
      expect(missing.stderr).to.include('npm install --save-dev latchkey');
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const { port } = taken.address() as { port: number };
      const refused = await simulated.computer.start(['simulate', '--port', String(port)]).ended;
      expect([refused.code, refused.stderr]).to.satisfy(
        ([code, text]: [number, string]) => code === 1 && text.includes(`Port ${port} cannot be used`),
      );
    } finally {
      taken.close();
      await bare.folder.remove();
    }
  });
});
