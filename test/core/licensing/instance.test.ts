import { expect } from 'chai';
import fc from 'fast-check';
import { normalizeDomain } from '../../../core/licensing/domain-name.ts';
import { isLocalHost } from '../../../core/licensing/hosts.ts';
import {
  hostOfInstance,
  nameOfInstance,
  newInstanceId,
  parseActivationName,
  parseInstanceId,
} from '../../../core/licensing/instance.ts';
import { must } from '../../support/license-acts.ts';
import { runs } from '../../support/runs.ts';

const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
const idOf = (given: Uint8Array) => newInstanceId({ bytes: () => given });

describe('instances of a license', () => {
  it('get a random UUID of version 4, another one for other bytes', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        const id = idOf(given);
        expect(id).to.match(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
        expect(parseInstanceId(` ${id.toUpperCase()} `)).to.equal(id);
        const other = given.with(0, (given[0] ?? 0) ^ 1);
        expect(idOf(other)).to.not.equal(id);
      }),
      { numRuns: runs(200) },
    );
  });

  it('have a name that is no domain, so that nobody can verify it as one', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        const name = nameOfInstance(idOf(given));
        expect(normalizeDomain(name)).to.equal(undefined);
        expect(parseActivationName(` ${name.toUpperCase()}`)).to.equal(name);
        expect(isLocalHost(name)).to.equal(false);
      }),
      { numRuns: runs(200) },
    );
  });

  it('have no name that is neither a domain nor an instance', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.domain(), fc.webUrl()), (text) => {
        expect(parseActivationName(text)).to.equal(normalizeDomain(text));
      }),
      { numRuns: runs(500) },
    );
    for (const text of ['instance:', 'instance:1', `instance:${'a'.repeat(36)}`, 'instance:example.com']) {
      expect(parseActivationName(text), text).to.equal(undefined);
    }
  });

  it('are a domain if their name is the address of a site', () => {
    const hosts: readonly (readonly [string, string])[] = [
      ['https://Shop.example/path', 'shop.example'],
      ['http://localhost:3000', 'localhost'],
      ['https://intranet', 'intranet'],
      ['www.example.com', 'www.example.com'],
      ['example.com:8080/wp', 'example.com'],
      ['203.0.113.7', '203.0.113.7'],
    ];
    for (const [name, host] of hosts) expect(hostOfInstance(name), name).to.equal(host);
  });

  it('are no domain if their name is that of a machine, of a person or of an app', () => {
    for (const name of [
      'MacBook',
      "Ada's Mac 2.0",
      'Adas-MacBook.local',
      'localhost',
      '192.168.0.7',
      'v1',
      'Test',
      '東京',
    ]) {
      expect(hostOfInstance(name), name).to.equal(undefined);
    }
  });

  it('are a domain only if it is a legal one', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const host = hostOfInstance(name);
        if (host !== undefined) expect(normalizeDomain(host)).to.equal(must(normalizeDomain(name)));
      }),
      { numRuns: runs(500) },
    );
  });
});
