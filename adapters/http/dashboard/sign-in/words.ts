import { longestPassword, shortestPassword } from '../../../../core/accounts/password.ts';

export const words = {
  title: 'Sign in',
  email: 'E-mail address',
  password: 'Password',
  newPassword: 'Password',
  newPasswordHint: `At least ${shortestPassword} characters. A few words in a row are easy to remember and hard to guess.`,
  name: 'Name',
  optionalName: 'Name (optional)',
  submit: 'Sign in',
  forgot: 'Forgot your password?',
  noAccount: 'No account yet?',
  create: 'Create an account',
  hasAccount: 'Already have an account?',
  wrong: 'Incorrect e-mail address or password.',
  done: { title: 'You are signed in', lead: 'Close this tab, and go on in the one with your form.' },
  code: {
    title: 'Two-factor authentication',
    lead: 'Open your authenticator app and enter the code that it shows for this site.',
    label: 'Code',
    hint: 'Six digits. Without your phone, enter a recovery code.',
    submit: 'Continue',
    wrong: 'This code is wrong or was already used. Wait for the next one.',
    expired: 'This sign-in has expired. Sign in again.',
  },
  link: {
    label: 'Code from the link',
    hint: 'The part of the link after #. With JavaScript, it is filled in for you.',
    another: 'Ask for a new link',
    invalid: 'This link has expired or was already used. Ask for a new one.',
  },
  setUp: {
    title: 'Set up this site',
    lead: 'Create the first account. It becomes the administrator of this site.',
    submit: 'Create administrator account',
    invalid:
      'This link was already used, or it is more than 30 minutes old. If this site has an administrator, sign in. If not, restart the server to get a new link.',
  },
  signUp: {
    title: 'Create an account',
    submit: 'Create account',
    closed: {
      invite: {
        title: 'You need an invitation',
        text: 'Only invited people can create an account here. Ask an administrator of this site for an invitation.',
      },
      closed: { title: 'No new accounts', text: 'No new accounts are made on this site at the moment.' },
    },
  },
  verify: {
    title: 'Confirm your e-mail address',
    lead: 'Enter the password that you chose, and your account is ready.',
    submit: 'Confirm and sign in',
    wrong: 'This is not the password that you chose when you signed up.',
  },
  invitation: {
    title: 'Welcome',
    lead: 'You are invited to this site. Choose a name and a password to create your account.',
    submit: 'Create account',
  },
  forgotten: {
    title: 'Reset your password',
    lead: 'Enter the e-mail address of your account to get a link.',
    submit: 'Get link',
  },
  reset: {
    title: 'Choose a new password',
    submit: 'Reset password',
  },
  changeEmail: {
    title: 'Confirm your new e-mail address',
    lead: 'Once you confirm it, you sign in with the new address. You will be signed out of all browsers.',
    submit: 'Confirm address',
  },
  emailTaken: 'Another account already uses this address.',
  passwords: {
    password_too_short: `Use at least ${shortestPassword} characters.`,
    password_too_long: `Use at most ${longestPassword} characters.`,
    password_personal: 'Choose a password that is not your name or e-mail address.',
    password_common: 'This password is too common and easy to guess. Choose another one.',
  },
} as const;
