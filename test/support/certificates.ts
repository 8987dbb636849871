import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, issueCertificate } from '../../infra/local/cluster/certificates.ts';

/** Files in PEM. `server`: key and certificate in one file, as Kafka wants them. */
export interface Certificates {
  ca: string;
  serverCert: string;
  serverKey: string;
  server: string;
  clientCert: string;
  clientKey: string;
  /** An authority that has signed nothing here. */
  otherCa: string;
}

/** Makes an authority, a certificate for servers on 127.0.0.1, and one for the client "jobledger". */
export async function makeCertificates(folder: string): Promise<Certificates> {
  mkdirSync(folder, { recursive: true });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const authority = await createAuthority('jobledger tests');
  const other = await createAuthority('others');
  const server = await issueCertificate(authority, { commonName: 'servers' }, { servesAt: ['127.0.0.1'] });
  const client = await issueCertificate(authority, { commonName: 'jobledger' }, 'client');
  return {
    ca: file('ca.pem', authority.certificate),
    serverCert: file('server-cert.pem', server.certificate),
    serverKey: file('server-key.pem', server.key),
    server: file('server.pem', `${server.key}${server.certificate}`),
    clientCert: file('client-cert.pem', client.certificate),
    clientKey: file('client-key.pem', client.key),
    otherCa: file('other-ca.pem', other.certificate),
  };
}
