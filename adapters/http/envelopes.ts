import { z } from 'zod';
import type { Appearance } from './failure-shapes.ts';
import { type Failure, type FailureReason, failures } from './failures.ts';

/** The form of error responses. */
export interface Envelope {
  statusOf(reason: FailureReason): number;
  bodyOf(failure: Failure): object;
}

/** The form of error responses of a surface that the OpenAPI document describes. */
export interface RouteEnvelope extends Envelope {
  /** In the OpenAPI document, the names of the schemas and responses of this form begin with it. */
  readonly name: string;
  /** A parameter that many calls with this form have, for examples. */
  readonly parameter: string;
  /**
   * Returns the schema of the bodies with these codes. `fields` is the schema of parameter errors, if there can be any.
   */
  schemaOf(code: z.ZodType, fields: z.ZodType | undefined, figures: Readonly<Record<string, z.ZodType>>): z.ZodType;
}

const statusOf = (reason: FailureReason) => failures[reason].status;

/** The error bodies of the license API. `flag` is the name of the field that is `false`. */
const flat = (flag: 'success' | 'valid'): Pick<RouteEnvelope, 'bodyOf' | 'schemaOf'> => ({
  bodyOf: ({ reason, message, fields }) => ({
    [flag]: false,
    error: reason,
    message,
    ...(fields && { errors: fields }),
  }),
  schemaOf: (error, fields) =>
    z.object({ [flag]: z.literal(false), error, message: z.string(), ...(fields && { errors: fields }) }),
});

/** The form of activate, deactivate and status. */
export const licenseEnvelope: RouteEnvelope = {
  name: 'License',
  parameter: 'license_key',
  statusOf,
  ...flat('success'),
};

/** The form of verify. */
export const verifyEnvelope: RouteEnvelope = {
  name: 'LicenseVerdict',
  parameter: 'license_key',
  statusOf(reason) {
    const { status, verifyStatus }: Appearance = failures[reason];
    return verifyStatus ?? status;
  },
  ...flat('valid'),
};

/** The form of lease: that of verify, with a name of its own for the document. */
export const leaseEnvelope: RouteEnvelope = { ...verifyEnvelope, name: 'LicenseLease' };

/** The form of the account API. */
export const accountEnvelope: RouteEnvelope = {
  name: 'Account',
  parameter: 'title',
  statusOf,
  bodyOf({ reason, message, fields, figures, faults }) {
    const { accountCode }: Appearance = failures[reason];
    return {
      error: {
        code: accountCode ?? reason.toUpperCase(),
        message,
        ...figures,
        ...(faults && { faults }),
        ...(fields && { fields }),
      },
    };
  },
  schemaOf: (code, fields, figures) =>
    z.object({ error: z.object({ code, message: z.string(), ...figures, ...(fields && { fields }) }) }),
};
