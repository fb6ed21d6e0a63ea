export const form = {
  tooLong: (max: number) => `Use at most ${max} characters.`,
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  sendAgain: 'Part of the form was missing. Send it again.',
  faults: (count: number) => (count === 1 ? 'Please correct one field:' : `Please correct ${count} fields:`),
  uploading: 'Uploading',
  uploadFailed: 'The connection was lost before everything was sent. Try again.',
  password: 'Your password',
  passwordHint: 'To protect your account, we ask for it again after 15 minutes.',
  passwordAgain: 'Enter your password again.',
  passwordWrong: 'Incorrect password.',
  tooMany: (minutes: number) => `Too many attempts. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
} as const;

export const failure = {
  otherSite: 'This form was sent from another site. Open the page on this site and try again.',
  noRight: 'You do not have permission to do this.',
  notDone: 'That did not work',
  titles: {
    400: 'The request could not be read',
    403: 'Not allowed',
    404: 'Not found',
    405: 'Not possible here',
    408: 'The request took too long',
    413: 'The request is too large',
    415: 'The request could not be read',
    429: 'Too many requests',
    500: 'Something went wrong',
    503: 'Temporarily unavailable',
  },
} as const;
