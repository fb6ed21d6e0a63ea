import { generate } from 'selfsigned';

const day = 24 * 3_600_000;

/** Key and certificate of a server, in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

interface CertificateOptions {
  /** The host that the certificate is for. */
  readonly host?: string;
  /** Days from now, may be negative. */
  readonly from?: number;
  readonly to?: number;
  /** Who signs. Without it, it is self-signed. */
  readonly by?: Certificate;
  readonly isAuthority?: boolean;
}

export async function makeCertificate({
  host = 'hooks.example.com',
  from = -1,
  to = 1,
  by,
  isAuthority = false,
}: CertificateOptions = {}): Promise<Certificate> {
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(now + from * day),
    notAfterDate: new Date(now + to * day),
    ...(by && { ca: by }),
    extensions: [
      { name: 'basicConstraints', cA: isAuthority, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
    ],
  });
  return { key, cert };
}
