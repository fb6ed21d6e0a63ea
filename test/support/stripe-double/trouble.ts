/** An error as the API answers it: https://docs.stripe.com/api/errors. */
export class ApiTrouble extends Error {
  readonly status: number;
  readonly error: Readonly<Record<string, string>>;
  /** Whether the answer is kept for the idempotency key: not if the parameters are wrong, because nothing ran. */
  readonly isKept: boolean;

  constructor(status: number, error: Readonly<Record<string, string>>, { isKept = true } = {}) {
    super(error.message);
    this.status = status;
    this.error = { type: 'invalid_request_error', ...error };
    this.isKept = isKept;
  }
}

export function wrongParameter(param: string, message: string, code?: string): ApiTrouble {
  return new ApiTrouble(400, { message, param, ...(code !== undefined && { code }) }, { isKept: false });
}

export function missing(what: string, id: string): ApiTrouble {
  return new ApiTrouble(404, { code: 'resource_missing', message: `No such ${what}: '${id}'`, param: 'id' });
}
