import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { readSettingFile } from '../../services/adapters/config.ts';
import { InputError } from '../../services/adapters/errors.ts';
import { signedText, type Checkpoint, type CheckpointContent } from './checkpoint.ts';

/** Reads an Ed25519 private key (PEM, PKCS#8). @throws InputError that names the setting and the file, never their content. */
export function readSigningKey(setting: string, file: string): KeyObject {
  const pem = readSettingFile(setting, file);
  return ed25519Key(
    setting,
    file,
    'private key in PEM, as "openssl genpkey -algorithm ed25519" writes it',
    () => createPrivateKey(pem),
  );
}

/** Reads an Ed25519 public key (PEM). @throws InputError also for a private key, which a verifier must not have. */
export function readPublicKey(setting: string, file: string): KeyObject {
  const pem = readSettingFile(setting, file);
  if (pem.includes('PRIVATE KEY'))
    throw new InputError(
      `${setting}: ${file} is a private key, which only the signer may have; give its public key: openssl pkey -in ${file} -pubout`,
    );
  return ed25519Key(setting, file, 'public key in PEM, as "openssl pkey -pubout" writes it', () =>
    createPublicKey(pem),
  );
}

/** The id of a key: the beginning of the SHA-256 of its public key. */
export function computeKeyId(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex').slice(0, 16);
}

export function signCheckpoint(content: Omit<CheckpointContent, 'keyId'>, key: KeyObject): Checkpoint {
  const signed = { ...content, keyId: computeKeyId(key) };
  return { ...signed, signature: sign(null, signedText(signed), key).toString('base64') };
}

/** Requires that one of the keys signed exactly this content. @throws InputError. */
export function requireSignature(name: string, checkpoint: Checkpoint, keys: readonly KeyObject[]): void {
  const ids = keys.map(computeKeyId);
  const key = keys[ids.indexOf(checkpoint.keyId)];
  if (key === undefined)
    throw new InputError(
      `${name} says that the key ${checkpoint.keyId} signed it, but you gave the public key ${ids.join(', ')}: give the public key of its signer`,
    );
  if (!verify(null, signedText(checkpoint), key, Buffer.from(checkpoint.signature, 'base64')))
    throw new InputError(`${name} was changed after it was signed: its signature does not match its content`);
}

/** Reads a key, and requires that it is an Ed25519 key. @throws InputError that names setting and file. */
function ed25519Key(setting: string, file: string, what: string, read: () => KeyObject): KeyObject {
  let key: KeyObject | null = null;
  try {
    key = read();
  } catch {
    // The error of OpenSSL may quote the file.
  }
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new InputError(`${setting}: ${file} is not an Ed25519 ${what}`);
}
