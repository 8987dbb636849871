// oxlint-disable-next-line import/no-unassigned-import -- @peculiar/x509 needs its globals
import 'reflect-metadata';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
  type JsonName,
} from '@peculiar/x509';
import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';

/** A private key and its certificate, both in PEM. */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

export interface Subject {
  readonly commonName: string;
  /** The certificate contains these names as organizations, which Kubernetes reads as groups. */
  readonly groups?: readonly string[];
}

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Creates a self-signed certificate authority. */
export async function createAuthority(commonName: string): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity(AUTHORITY_DAYS),
    name: subjectName({ commonName }),
    keys,
    signingAlgorithm: ECDSA,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return toKeyPair(keys, certificate);
}

/** Issues a certificate signed by the authority: for a server at the given addresses, or for a client. */
export async function issueCertificate(
  authority: KeyPair,
  subject: Subject,
  use: { readonly servesAt: readonly string[] } | 'client',
): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create({
    ...validity(LEAF_DAYS),
    subject: subjectName(subject),
    issuer: new X509Certificate(authority.certificate).subjectName,
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(authority.key).toCryptoKey(ECDSA, false, ['sign']),
    signingAlgorithm: ECDSA,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      ...(use === 'client'
        ? [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])]
        : [new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]), alternativeNames(use.servesAt)]),
    ],
  });
  return toKeyPair(keys, certificate);
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify']);
}

/** The certificate is valid from one minute ago, in case the clock is set back a little. */
function validity(days: number): { notBefore: Date; notAfter: Date } {
  const from = Date.now() - 60_000;
  return { notBefore: new Date(from), notAfter: new Date(from + days * DAY_MS) };
}

function subjectName({ commonName, groups = [] }: Subject): JsonName {
  return [...groups.map((group) => ({ O: [group] })), { CN: [commonName] }];
}

function alternativeNames(addresses: readonly string[]): SubjectAlternativeNameExtension {
  return new SubjectAlternativeNameExtension(
    addresses.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
  );
}

function toKeyPair(keys: webcrypto.CryptoKeyPair, certificate: X509Certificate): KeyPair {
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { key: key.toString(), certificate: `${certificate.toString('pem')}\n` };
}
