/** The address by which a mail shows the logo that is sent with it. */
export const logoInMail = 'cid:logo@latchkey';

/** A picture that is sent with mails. */
export interface MailLogo {
  readonly bytes: Buffer;
  /** Such as `image/png`. */
  readonly type: string;
}
