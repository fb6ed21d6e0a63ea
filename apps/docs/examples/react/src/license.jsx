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

/** Shows its children. If the server says that the license is invalid, shows `fallback`. Without an answer, the site works as usual. */
export function Licensed({ children, fallback }) {
  const verdict = useLicense();
  return verdict?.state === 'invalid' ? fallback : children;
}
