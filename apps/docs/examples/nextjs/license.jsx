import { createLicenseGuard } from 'latchkey-sdk';
import { connection } from 'next/server';

/**
 * Returns the guard of this process. Next.js can load this file several times, once for each bundle, so the guard is kept
 * outside of it. It is made at the first request: `next build` runs without the settings.
 */
export function license() {
  globalThis.licenseGuard ??= createLicenseGuard({
    url: process.env.LICENSE_URL,
    licenseKey: process.env.LICENSE_KEY,
    domain: process.env.LICENSE_DOMAIN,
  });
  return globalThis.licenseGuard;
}

/** Returns what is known about the license. Never at build time: a page made then would keep that answer forever. */
export async function checkLicense() {
  await connection();
  return license().check();
}

/**
 * Renders its children unless the server says that the license is invalid. Without an answer, the site works as usual.
 * Put it into each page: Next.js does not render layouts again when visitors go from page to page.
 */
export async function Licensed({ children }) {
  const { state } = await checkLicense();
  if (state !== 'invalid') return children;
  return (
    <section className="card wrong" role="alert">
      <h2>The report is switched off</h2>
      <p>
        This site has no valid license. <a href="/admin">The owner of the site</a> can see why.
      </p>
    </section>
  );
}
