import { longestName } from '../../../../core/accounts/user.ts';

export const words = {
  change: 'Change',
  name: {
    title: 'Name',
    change: 'Change your name',
    label: 'Name',
    hint: 'Pages and e-mails call you by this name.',
    submit: 'Save name',
    invalid: `Use 1 to ${longestName} characters.`,
  },
  email: {
    title: 'E-mail address',
    verified: 'Verified',
    notVerified: 'Not verified',
    verify: 'Verify',
    verifyTitle: 'Verify your e-mail address',
    verifyLead: 'Get a link, and open it to confirm that this address is yours.',
    send: 'Get link',
    change: 'Change your e-mail address',
    present: 'You currently sign in with',
    label: 'New e-mail address',
    hint: 'This address gets a link. Nothing changes until you open it.',
    ends: 'Opening the link signs you out of all browsers.',
  },
  password: {
    title: 'Password',
    isSet: 'You sign in with a password.',
    none: 'This account has no password. It ends with the sandbox.',
    change: 'Change your password',
    label: 'New password',
    submit: 'Change password',
  },
  endsOthers: 'This signs you out of all other browsers.',
  endedOthers: 'You are signed out of all other browsers.',
  factor: {
    title: 'Two-factor authentication',
    on: 'On',
    off: 'Off',
    onLead: 'When you sign in, you also enter a code from your authenticator app.',
    offLead:
      'Protect your account with a code from an app on your phone. A stolen password is then not enough to sign in.',
    invitationTitle: 'Protect your administrator account',
    invitation:
      'You can change everything on this site. Two-factor authentication keeps others out, even if they know your password.',
    setUp: 'Set it up',
    codesLeft: (count: number) =>
      count === 0
        ? 'No recovery codes left'
        : count === 1
          ? 'Only 1 recovery code left'
          : `${count} recovery codes left`,
    newCodes: 'New recovery codes',
    otherApp: 'Use another app',
    switchOff: 'Turn off',
  },
  setUp: {
    title: 'Set up two-factor authentication',
    replaceTitle: 'Use another authenticator app',
    replaceLead: 'Codes from your current app and your current recovery codes will stop working.',
    steps: {
      scan: 'Scan this QR code',
      scanLead:
        'Open an authenticator app on your phone, such as Aegis, 2FAS or Google Authenticator, and scan the code.',
      confirm: 'Enter the code that the app shows',
    },
    picture: 'QR code for the authenticator app',
    sameDevice: 'Is the app on this device?',
    openApp: 'Open the app',
    key: 'Or type this key into the app',
    code: 'Code',
    codeHint: 'Six digits. The app shows a new code every 30 seconds.',
    submit: 'Turn on',
    wrong: 'This code is wrong or was already used. Wait for the next one.',
  },
  codes: {
    newTitle: 'New recovery codes',
    left: (count: number) =>
      count === 0
        ? 'You have no recovery codes left.'
        : count === 1
          ? 'You have 1 recovery code left.'
          : `You have ${count} recovery codes left.`,
    lead: 'New codes replace all your current ones.',
    submit: 'Create new codes',
    shownTitle: 'Your recovery codes',
    on: 'Two-factor authentication is on.',
    made: 'Your old recovery codes no longer work.',
    keep: 'If you lose your phone, sign in with one of these codes. Each code works once. Print them or save them in a password manager: they are shown only now.',
    label: 'Recovery codes',
    done: 'I have saved them',
  },
  switchOff: {
    title: 'Turn off two-factor authentication',
    lead: 'Your password alone will be enough to sign in, and your recovery codes will stop working.',
    submit: 'Turn off',
  },
  noFactor: 'Two-factor authentication is off.',
  sessions: {
    title: 'Where you are signed in',
    lead: 'If you do not recognize one of these browsers, sign it out and change your password.',
    isThis: 'This browser',
    signedIn: 'Signed in',
    lastSeen: 'Last seen',
    end: 'Sign out',
    endOthers: 'Sign out all other browsers',
    more: (count: number) => (count === 1 ? 'One more browser is not shown.' : `${count} more browsers are not shown.`),
  },
} as const;
