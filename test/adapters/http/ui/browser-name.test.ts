import { expect } from 'chai';
import { browserName } from '../../../../adapters/http/ui/browser-name.ts';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const names = {
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox on Linux',
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0.0.0 Safari/537.36`]: 'Chrome on Windows',
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`]:
    'Microsoft Edge on Windows',
  [`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${webKit} Chrome/140.0.0.0 Mobile Safari/537.36`]: 'Chrome on Android',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1':
    'Safari on iOS',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15':
    'Safari on macOS',
  'curl/8.5.0': 'curl',
  node: 'node',
  '': 'Unknown browser',
  ' ': 'Unknown browser',
  '<script>alert(1)</script>': 'Unknown browser',
  [`${'x'.repeat(200)}`]: 'Unknown browser',
} as const;

describe('the name of a browser', () => {
  for (const [userAgent, name] of Object.entries(names)) {
    it(`is "${name}" for "${userAgent.slice(0, 60)}"`, () => expect(browserName(userAgent)).to.equal(name));
  }
});
