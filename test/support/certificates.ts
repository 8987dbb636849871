import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

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
  const authority = (name: string): ReturnType<typeof generate> =>
    generate([{ name: 'commonName', value: name }], {
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
  const [{ private: key, cert }, other] = await Promise.all([
    authority('jobledger tests'),
    authority('others'),
  ]);
  const signed = (name: string, usage: object): ReturnType<typeof generate> =>
    generate([{ name: 'commonName', value: name }], {
      algorithm: 'sha256',
      ca: { key, cert },
      extensions: [
        { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
        { name: 'extKeyUsage', ...usage },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
      ],
    });
  const [server, client] = await Promise.all([
    signed('servers', { serverAuth: true }),
    signed('jobledger', { clientAuth: true }),
  ]);
  return {
    ca: file('ca.pem', cert),
    serverCert: file('server-cert.pem', server.cert),
    serverKey: file('server-key.pem', server.private),
    server: file('server.pem', `${server.private}${server.cert}`),
    clientCert: file('client-cert.pem', client.cert),
    clientKey: file('client-key.pem', client.private),
    otherCa: file('other-ca.pem', other.cert),
  };
}
