import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  time,
  utf8String,
} from './der.ts';

/** A private key and its certificate, both in PEM. */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

export interface Subject {
  readonly commonName: string;
  /** Written as organizations, which Kubernetes reads as groups. */
  readonly groups?: readonly string[];
}

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

/** Creates a self-signed certificate authority. */
export function createAuthority(commonName: string): KeyPair {
  const key = newKey();
  const subject = { commonName };
  const body = {
    subject,
    publicKey: key.publicKey,
    days: AUTHORITY_DAYS,
    extensions: authorityExtensions(key.publicKey),
  };
  return pair(key.privateKey, signed({ ...body, issuer: subject, signer: key.privateKey }));
}

/** Issues a certificate signed by the authority: for a server at the given addresses, or for a client. */
export function issueCertificate(
  authority: KeyPair & { readonly commonName: string },
  subject: Subject,
  use: { readonly servesAt: readonly string[] } | 'client',
): KeyPair {
  const key = newKey();
  const signer = createPrivateKey(authority.key);
  const extensions = use === 'client' ? clientExtensions() : serverExtensions(use.servesAt);
  const body = { subject, publicKey: key.publicKey, days: LEAF_DAYS, extensions };
  const issuer = { commonName: authority.commonName };
  return pair(key.privateKey, signed({ ...body, issuer, signer }));
}

function newKey(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pair(key: KeyObject, certificate: Buffer): KeyPair {
  return { key: key.export({ type: 'pkcs8', format: 'pem' }).toString(), certificate: pem(certificate) };
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

/** A signed X.509 certificate in DER (RFC 5280, 4.1). */
function signed(about: {
  subject: Subject;
  issuer: Subject;
  publicKey: KeyObject;
  signer: KeyObject;
  days: number;
  extensions: readonly Buffer[];
}): Buffer {
  // Valid from one minute ago, in case the clock is set back a little.
  const from = Date.now() - 60_000;
  const content = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    name(about.issuer),
    sequence(time(new Date(from)), time(new Date(from + about.days * DAY_MS))),
    name(about.subject),
    about.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...about.extensions)),
  );
  return sequence(content, ECDSA_WITH_SHA256, bitString(sign('sha256', content, about.signer)));
}

function name(subject: Subject): Buffer {
  const organizations = (subject.groups ?? []).map((group) => attribute('2.5.4.10', group));
  return sequence(...organizations, attribute('2.5.4.3', subject.commonName));
}

function attribute(type: string, value: string): Buffer {
  return setOf(sequence(objectIdentifier(type), utf8String(value)));
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(objectIdentifier(id), ...(critical ? [boolean(true)] : []), octetString(value));
}

const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';

function authorityExtensions(publicKey: KeyObject): Buffer[] {
  const identifier = createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
  const certificateAndListSigning = bitString(Buffer.from([0b0000_0110]), 1);
  return [
    extension(BASIC_CONSTRAINTS, sequence(boolean(true)), true),
    extension(KEY_USAGE, certificateAndListSigning, true),
    extension(SUBJECT_KEY_IDENTIFIER, octetString(identifier)),
  ];
}

function leafExtensions(extendedUsage: string): Buffer[] {
  const digitalSignature = bitString(Buffer.from([0b1000_0000]), 7);
  return [
    extension(BASIC_CONSTRAINTS, sequence(), true),
    extension(KEY_USAGE, digitalSignature, true),
    extension(EXTENDED_KEY_USAGE, sequence(objectIdentifier(extendedUsage))),
  ];
}

function clientExtensions(): Buffer[] {
  return leafExtensions('1.3.6.1.5.5.7.3.2');
}

function serverExtensions(addresses: readonly string[]): Buffer[] {
  const names = addresses.map((address) =>
    isIP(address) === 4
      ? implicit(7, Buffer.from(address.split('.').map(Number)))
      : implicit(2, Buffer.from(address)),
  );
  return [...leafExtensions('1.3.6.1.5.5.7.3.1'), extension(SUBJECT_ALTERNATIVE_NAME, sequence(...names))];
}
