import Bowser from 'bowser';

const words = {
  unknown: 'Unknown browser',
  on: (browser: string, system: string) => `${browser} on ${system}`,
};

/** Returns a name that people understand, such as `Firefox on Linux`, from what a browser says that it is. */
export function browserName(userAgent: string): string {
  if (userAgent.trim() === '') return words.unknown;
  const { browser, os } = Bowser.parse(userAgent);
  if (browser.name && os.name) return words.on(browser.name, os.name);
  // Programs name themselves first, such as `curl/8.5.0`.
  return browser.name || os.name || /^[\w .-]{1,40}(?=\/|$)/.exec(userAgent)?.[0] || words.unknown;
}
