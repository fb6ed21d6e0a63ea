import type { Role } from '../../../../core/accounts/role.ts';
import type { SellingRight } from '../../../../core/accounts/user.ts';

export const roles = { admin: 'Administrator' } as const satisfies Record<Role, string>;
export const plainUser = 'User';
export const wrongTier = 'Choose one of the plans.';

/** The field for the reason of a change. */
export const reason = { label: 'Reason', hint: 'Optional. Shown in the audit trail, and never to the user.' } as const;

export const list = {
  invite: 'Invite',
  list: 'Users',
  pages: 'Pages of users',
  search: 'Name or e-mail',
  name: 'Name',
  email: 'E-mail address',
  tier: 'Plan',
  role: 'Role',
  state: 'State',
  added: 'Added',
  states: { active: 'Active', suspended: 'Suspended' },
  none: 'No user found',
  noneAdvice: 'Search by the beginning of any word in a name or e-mail address.',
} as const;

export const invitation = {
  title: 'Invite a user',
  lead: 'The invited person opens a link and chooses a name and a password. The link works once, within 7 days.',
  email: 'E-mail address',
  role: 'Role',
  roleHint: 'An administrator can do everything, and can even take the role from you.',
  wrongRole: 'Choose one of the roles.',
  deliver: 'Link',
  byLetter: 'Send it to this address by e-mail',
  byKeptLetter: 'Keep it with the mails of this site, which sends none yet',
  byHand: 'Show it to me, so that I can share it myself',
  wrongDelivery: 'Choose one of the two.',
  submit: 'Invite',
  closed: 'No new accounts are made on this site. Change that in the settings first.',
  taken: 'A user with this e-mail address already exists.',
  linkTitle: 'Share this link',
  linkLead: (email: string) =>
    `Anyone who has this link can create the account of ${email}. It is shown only once, and it works once, within 7 days.`,
  link: 'Invitation link',
  done: 'Done',
} as const;

export const user = {
  isMe: 'You',
  account: 'Account',
  email: 'E-mail address',
  verified: 'Address verified',
  notVerified: 'No',
  password: 'Password',
  hasPassword: 'Set',
  hasNoPassword: 'Not set: nobody can sign in',
  secondFactor: 'Two-factor authentication',
  hasSecondFactor: 'On',
  hasNoSecondFactor: 'Off',
  tier: 'Plan',
  role: 'Role',
  state: 'State',
  suspendedSince: 'Suspended since',
  added: 'Added',
  lastSeen: 'Last seen on these pages',
  keyUsed: 'Last call with an API key',
  changeTier: 'Change plan',
  paidTier: 'Paid plan',
  assignedTier: 'Assigned plan',
  selling: 'Selling',
  sellingAs: { none: 'As for everybody', invited: 'Invited', trusted: 'Trusted' } satisfies Record<
    SellingRight | 'none',
    string
  >,
  changeSelling: 'Change right to sell',
  changeRole: 'Change role',
  suspend: 'Suspend',
  reinstate: 'Reinstate',
  trail: 'Audit trail of this user',
  done: 'What this user did',
} as const;

export const keys = {
  title: 'API keys',
  none: 'This user has no API keys.',
  name: 'Name',
  key: 'Key',
  created: 'Created',
  used: 'Last used',
  state: 'State',
  action: 'Action',
  revoke: 'Revoke',
  revokeTitle: 'Revoke an API key',
  revokeLead: 'Programs that use this key stop working immediately. This cannot be undone.',
  revokeSubmit: 'Revoke key',
  ambiguous: 'Several keys match. Revoke the key with the command “key revoke”, by its visible part.',
  more: (count: number) => `There are ${count} older keys.`,
} as const;

export const sessions = {
  title: 'Signed in',
  none: 'This user is not signed in anywhere.',
  browser: 'Browser',
  address: 'Address',
  started: 'Since',
  seen: 'Last seen',
  action: 'Action',
  end: 'Sign out',
  endAll: 'Sign out everywhere',
  isThis: 'This browser',
  more: (count: number) => `There are ${count} older sessions.`,
} as const;

export const suspension = {
  title: 'Suspend a user',
  lead: 'This stops immediately:',
  stops: ['calls with any API key of the user', 'all sessions: the user is signed out and cannot sign in'],
  stays: 'Products stay public, and licenses stay valid. The API keys work again if you reinstate the user.',
  self: 'This is your own account. You will be signed out at once, and another administrator must reinstate you.',
  submit: 'Suspend the user',
  back: 'Reinstate a user',
  backLead: 'The user can sign in again, and the API keys that were not revoked work again.',
  backSubmit: 'Reinstate the user',
} as const;

export const roleChange = {
  giveTitle: 'Make this user an administrator',
  giveLead: (email: string) =>
    `${email} will be able to do everything on these pages: suspend users, give and take roles, read the audit trail and the mails.`,
  giveSubmit: 'Make this user an administrator',
  takeTitle: 'Remove the administrator role',
  takeLead: (email: string) =>
    `${email} will no longer be able to open these pages. The account and its API keys stay.`,
  takeSubmit: 'Remove the role',
  signsOut: 'The user is signed out of all browsers.',
  lastStays: 'The last administrator who is not suspended keeps the role.',
  self: 'This is your own account. You will be signed out, and you cannot give yourself the role again.',
} as const;

export const tierChange = {
  title: 'Change the plan',
  lead: 'The new limits apply from the next call. If the user also pays for a plan, the higher of both counts.',
  submit: 'Change the plan',
} as const;

export const sellingChange = {
  title: 'Change the right to sell',
  lead: 'Products and licenses that are there stay. Products of this user that wait for approval go on to wait.',
  wrong: 'Choose one of the answers.',
  choices: {
    none: 'As the settings of the site say for everybody',
    invited: 'May sell, also if only invited people can',
    trusted: 'May sell, and publish without approval',
  } satisfies Record<SellingRight | 'none', string>,
  submit: 'Save',
} as const;

export const lastAdmin = 'This is the last administrator. Make another user an administrator first.';
