import { expect } from 'chai';
import { event } from '../../core/events/event.ts';
import { refuse } from '../../core/refusal.ts';
import { backends, openForEach } from '../support/backends.ts';
import { by } from '../support/by.ts';
import { good } from '../support/good.ts';
import { issuedAt, outcome } from '../support/license-acts.ts';

for (const backend of backends) {
  describe(`store of site settings: ${backend.name}`, () => {
    const stores = openForEach(backend);

    const changed = (name: string) => event('setting.changed', name, by, issuedAt);
    const set = async (texts: Readonly<Record<string, string | null>>) =>
      good(await stores.settings.change(() => ({ texts, events: Object.keys(texts).map(changed) })));

    it('is empty at first, with revision 0', async () => {
      expect(await stores.settings.read()).to.deep.equal({ revision: 0, texts: {} });
      expect(await stores.settings.readNewer(0)).to.equal(undefined);
    });

    it('keeps texts as they are, and replaces only those that change', async () => {
      const odd = `é\u2028\n"'<>&\\ ${'x'.repeat(50_000)}`;
      await set({ site_name: 'Acme', terms: odd });
      const after = await set({ site_name: 'Acme 2' });
      expect(after).to.deep.equal({ revision: 2, texts: { site_name: 'Acme 2', terms: odd } });
      expect(await stores.settings.read()).to.deep.equal(after);
    });

    it('gives a higher revision to each change, also to one that only takes away', async () => {
      const first = await set({ site_name: 'Acme' });
      const second = await set({ site_name: null });
      expect(second).to.deep.equal({ revision: first.revision + 1, texts: {} });
      expect(await stores.settings.readNewer(first.revision)).to.deep.equal(second);
      expect(await stores.settings.readNewer(second.revision)).to.equal(undefined);
    });

    it('saves the events with the change', async () => {
      await set({ site_name: 'Acme', accent: '#1b6b50' });
      const events = await stores.audit.list({ limit: 9 });
      expect(events.map(({ subject }) => subject).sort()).to.deep.equal(['accent', 'site_name']);
    });

    it('writes nothing after a refusal, and nothing without an event', async () => {
      const before = await set({ site_name: 'Acme' });
      expect(outcome(await stores.settings.change(() => refuse('no')))).to.equal('no');
      expect(await stores.settings.change(() => ({ texts: {}, events: [] }))).to.deep.equal(before);
      expect(await stores.settings.readNewer(before.revision)).to.equal(undefined);
      expect(await stores.audit.list({ limit: 9 })).to.have.lengthOf(1);
    });

    it('loses none of several changes at once, each of which sees those before it', async () => {
      await Promise.all(
        Array.from({ length: 12 }, () =>
          stores.settings.change(({ texts }) => ({
            texts: { count: String(Number(texts.count ?? 0) + 1) },
            events: [changed('count')],
          })),
        ),
      );
      expect(await stores.settings.read()).to.deep.equal({ revision: 12, texts: { count: '12' } });
    });
  });
}
