import { revalidatePath } from 'next/cache';
import { headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { checkLicense, license } from '../../license.jsx';
import { isOwner } from '../../owner.js';

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
  return `Valid on ${process.env.LICENSE_DOMAIN}, ${expiresAt ? `until ${expiresAt.toLocaleDateString('en')}` : 'without end'}.`;
}

async function activate() {
  'use server';
  if (!isOwner(await headers())) notFound();
  const done = await license().activate();
  if (!done.ok) redirect(`/admin?failure=${encodeURIComponent(done.reason)}`);
  revalidatePath('/', 'layout');
  redirect('/admin');
}

export default async function Administration({ searchParams }) {
  if (!isOwner(await headers())) notFound();
  const { failure } = await searchParams;
  const verdict = await checkLicense();
  return (
    <>
      <h1>Administration</h1>
      <p>Only the owner sees this page.</p>
      <section className={verdict.state === 'invalid' ? 'card wrong' : 'card'}>
        <h2>License</h2>
        <p role="status">{explain(verdict)}</p>
        {failure && <p role="alert">The activation did not work ({failure}).</p>}
        {verdict.reason === 'invalid_domain' && (
          <form action={activate}>
            <button type="submit">Activate on {process.env.LICENSE_DOMAIN}</button>
          </form>
        )}
      </section>
    </>
  );
}
