import { createPublicKey, type KeyObject } from 'node:crypto';
import { Option, type Command } from 'commander';
import { readSettingFile } from '../../services/adapters/config.ts';
import { InputError } from '../../services/adapters/errors.ts';
import { parseCheckpoint, type Checkpoint } from './checkpoint.ts';
import { readPublicKey, requireSignature } from './signature.ts';

/** The keys whose signatures are trusted. */
export interface PublicKeyOption {
  readonly publicKey: readonly string[];
}

const PUBLIC_KEY = 'JOBLEDGER_CHECKPOINT_PUBLIC_KEY_FILE';

/** Adds the option with the public keys that are trusted. */
export function publicKeyOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--public-key <file>',
      'the Ed25519 public key, in PEM, that must have signed the checkpoint; may be repeated for earlier keys',
    )
      .env(PUBLIC_KEY)
      .default([])
      .argParser((file: string, before: readonly string[]) => [...before, file]),
  );
}

/**
 * Reads a checkpoint and verifies its signature; `own` is the key of the signer itself. @throws InputError if the checkpoint was changed after its
 * signature, if another key signed it, or if no key is given.
 */
export function trustedCheckpoint(
  file: string,
  { publicKey }: PublicKeyOption,
  own: readonly KeyObject[] = [],
): Checkpoint {
  if (publicKey.length + own.length === 0)
    throw new InputError(
      `name the public key that must have signed ${file}: --public-key FILE, or ${PUBLIC_KEY}`,
    );
  const checkpoint = parseCheckpoint(file, readSettingFile('checkpoint', file).toString('utf8'));
  requireSignature(file, checkpoint, [
    ...publicKey.map((each) => readPublicKey(`--public-key or ${PUBLIC_KEY}`, each)),
    ...own.map((key) => createPublicKey(key)),
  ]);
  return checkpoint;
}
