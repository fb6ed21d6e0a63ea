import { longestKeyName } from '../../../../core/accounts/key-terms.ts';

/** The pages on which a person approves a program. */
export const device = {
  title: 'Connect a program',
  lead: 'A program on a computer, such as the latchkey command, shows you a code. Enter it here to let the program use your account.',
  code: 'Code',
  codeHint: 'Eight letters, such as WDJB-MJHT. Hyphens and small letters do not matter.',
  noCode: 'Enter the code that the program shows.',
  unknown: 'No program waits with this code. Compare it with the one on your screen. Codes expire after 10 minutes.',
  next: 'Continue',
  approve: {
    title: 'Approve this program?',
    compare: 'Compare this code with the one that the program shows:',
    warning:
      'Approve only if you started the program yourself, on your own computer, just now. If somebody sent you this code or a link to this page, deny it: they want to use your account.',
    facts: {
      client: 'Calls itself',
      address: 'Called from',
      at: 'Started',
      mode: 'Data',
      scopes: 'It will be able to',
      expires: 'Access ends',
    },
    modes: { live: 'Live data', test: 'Test data' },
    allScopes: 'use everything in your account that an API key can use',
    expires: 'After 90 days, or when you revoke the key',
    name: 'Name of the key',
    nameHint: 'By this name you find the key in your list of API keys.',
    noName: 'Enter a name.',
    invalidName: `Use 1 to ${longestKeyName} characters, and no control characters.`,
    submit: 'Approve',
    deny: 'Deny',
    denyLead: 'You did not start it, or the codes differ?',
  },
  gone: {
    title: 'This code does not work',
    again: 'Enter a code',
  },
  done: {
    title: 'Program approved',
    text: 'Go back to the program. It is signed in within a few seconds.',
    keys: 'See your API keys',
  },
  denied: {
    title: 'Program denied',
    text: 'The program gets no access. If somebody else gave you the code, ignore them.',
  },
} as const;
