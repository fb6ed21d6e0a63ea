import { useState } from 'react';
import { guard, useLicense } from './license.jsx';

/** What the owner reads if the license is invalid. */
const explanations = {
  invalid_domain: 'The license is not active on this domain.',
  invalid_key: 'There is no license with this key. Check it for mistakes.',
  expired: 'The license has ended. Renew it where you bought it.',
  suspended: 'The license is suspended. Ask the seller why.',
  revoked: 'The license was revoked. Ask the seller why.',
};

function explain({ state, reason, expiresAt }) {
  if (state === 'invalid') return explanations[reason] ?? `The license is not valid (${reason}).`;
  if (state === 'unknown') {
    return `The license server gave no answer (${reason}). Until it does, the site works as usual.`;
  }
  return `Valid on ${location.hostname}, ${expiresAt ? `until ${expiresAt.toLocaleDateString()}` : 'without end'}.`;
}

/** The state of the license, and the button that activates it on this domain. For the owner only. */
export function Administration() {
  const verdict = useLicense();
  const [failure, setFailure] = useState();
  const [isBusy, setBusy] = useState(false);

  async function activate() {
    setBusy(true);
    const done = await guard.activate(); // If it worked, `useLicense` returns the new state.
    setFailure(done.ok ? undefined : { verdict, text: done.message ?? `That did not work (${done.reason}).` });
    setBusy(false);
  }

  // A failure counts until the next state: then that says more.
  const failed = failure?.verdict === verdict ? failure?.text : undefined;
  return (
    <section className={verdict?.state === 'invalid' ? 'card wrong' : 'card'}>
      <h2>License</h2>
      <p role="status">{failed ?? (verdict ? explain(verdict) : 'Checking …')}</p>
      {verdict?.reason === 'invalid_domain' && (
        <button type="button" onClick={activate} disabled={isBusy}>
          Activate on this domain
        </button>
      )}
    </section>
  );
}
