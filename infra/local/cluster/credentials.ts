import { generateKeyPairSync } from 'node:crypto';
import path from 'node:path';
import { keptText, textIn, writePrivately } from '../state/files.ts';
import { LOOPBACK } from '../state/ports.ts';
import { createAuthority, issueCertificate, type KeyPair, type Subject } from './certificates.ts';

/** The paths of a key pair's files, for the servers' flags. */
export interface KeyPairFiles {
  readonly key: string;
  readonly certificate: string;
}

/**
 * Issues the certificates of one local cluster. The authority is stored; the certificates that it signs are renewed at
 * every start.
 */
export interface Credentials {
  /** The certificate of the authority in PEM; `authorityFile` is its path. */
  readonly authority: string;
  readonly authorityFile: string;
  /** Creates a certificate of a client in memory. */
  readonly client: (subject: Subject) => Promise<KeyPair>;
  /** Creates a certificate of a client in files named `name`. */
  readonly clientFiles: (name: string, subject: Subject) => Promise<KeyPairFiles>;
  /** Creates a certificate of a server on the loopback address, in files named `name`. */
  readonly serverFiles: (name: string) => Promise<KeyPairFiles>;
}

/** Opens the certificate authority in a folder, and creates it at the first call. */
export async function openCredentials(dir: string, commonName: string): Promise<Credentials> {
  const file = path.join(dir, 'authority.json');
  const kept = textIn(file) ?? JSON.stringify(await createAuthority(commonName));
  writePrivately(file, kept);
  const authority = JSON.parse(kept) as KeyPair;
  const writeKeyPair = (name: string, pair: KeyPair): KeyPairFiles => ({
    key: writePrivately(path.join(dir, `${name}.key`), pair.key),
    certificate: writePrivately(path.join(dir, `${name}.crt`), pair.certificate),
  });
  return {
    authority: authority.certificate,
    authorityFile: writePrivately(path.join(dir, 'authority.crt'), authority.certificate),
    client: (subject) => issueCertificate(authority, subject, 'client'),
    clientFiles: async (name, subject) =>
      writeKeyPair(name, await issueCertificate(authority, subject, 'client')),
    serverFiles: async (name) =>
      writeKeyPair(
        name,
        await issueCertificate(authority, { commonName: name }, { servesAt: [LOOPBACK, 'localhost'] }),
      ),
  };
}

/** The key pair that signs service account tokens, created once and stored. */
export function serviceAccountKey(dir: string): { privateFile: string; publicFile: string } {
  const text = keptText(path.join(dir, 'service-account.json'), () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return JSON.stringify({
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
    });
  });
  const pair = JSON.parse(text) as { key: string; publicKey: string };
  return {
    privateFile: writePrivately(path.join(dir, 'service-account.key'), pair.key),
    publicFile: writePrivately(path.join(dir, 'service-account.pub'), pair.publicKey),
  };
}
