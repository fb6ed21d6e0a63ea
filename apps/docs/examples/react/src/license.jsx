import { createLicenseGuard } from 'latchkey-sdk';
import { useEffect, useState } from 'react';

// Change these two lines. The guard is made outside of components, so that there is only one.
export const guard = createLicenseGuard({
  url: 'https://licenses.example.com',
  licenseKey: 'LIC-7H2K-9QWX-M4TB-C0VJ',
});

/** Returns what is known about the license. `undefined` until the first answer. */
export function useLicense() {
  const [verdict, setVerdict] = useState();
  useEffect(() => {
    const end = guard.onChange(setVerdict);
    guard.check().then(setVerdict);
    // The guard asks the server about once an hour, however often it is called.
    const timer = setInterval(() => guard.check(), 10 * 60_000);
    return () => {
      clearInterval(timer);
      end();
    };
  }, []);
  return verdict;
}

/** Shows its children unless the server says that the license is invalid. Without an answer, the site works as usual. */
export function Licensed({ children }) {
  const verdict = useLicense();
  if (verdict?.state !== 'invalid') return children;
  return (
    <section className="card wrong" role="alert">
      <h2>The calculator is switched off</h2>
      <p>
        This site has no valid license. <a href="?owner">The owner of the site</a> can see why.
      </p>
    </section>
  );
}
