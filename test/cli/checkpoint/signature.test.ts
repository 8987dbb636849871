import { afterAll, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FORMAT, parseCheckpoint, type Checkpoint } from '../../../cli/checkpoint/checkpoint.ts';
import {
  computeKeyId,
  readPublicKey,
  readSigningKey,
  requireSignature,
  signCheckpoint,
} from '../../../cli/checkpoint/signature.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { chainRecords, records } from './a-partition.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ours = generateKeyPairSync('ed25519');
const others = generateKeyPairSync('ed25519');
const signed = signCheckpoint(
  {
    format: FORMAT,
    ledger: 'jobledger.ledger',
    madeAt: '2026-05-01T00:00:00.000Z',
    records: 5,
    previous: null,
    partitions: [chainRecords(records(5))],
  },
  ours.privateKey,
);

function fileWith(text: string): string {
  const file = join(folder, 'key.pem');
  writeFileSync(file, text);
  return file;
}

function parsed(change: (checkpoint: Checkpoint) => unknown): Checkpoint {
  return parseCheckpoint('old.json', JSON.stringify(change(structuredClone(signed))));
}

describe('a signed checkpoint', () => {
  it('is trusted when one of the given keys signed it, whatever the layout of its JSON', () => {
    expect(() =>
      requireSignature(
        'old.json',
        parsed((each) => each),
        [others.publicKey, ours.publicKey],
      ),
    ).not.toThrow();
    const keys = Object.keys(signed).toReversed();
    const reversed = Object.fromEntries(keys.map((key) => [key, signed[key as keyof Checkpoint]]));
    expect(() =>
      requireSignature(
        'old.json',
        parsed(() => reversed),
        [ours.publicKey],
      ),
    ).not.toThrow();
  });

  it('is refused when another key signed it', () => {
    expect(() => requireSignature('old.json', signed, [others.publicKey])).toThrow(
      `old.json says that the key ${computeKeyId(ours.publicKey)} signed it, but you gave the public key ${computeKeyId(others.publicKey)}`,
    );
    const forged = signCheckpoint(signed, others.privateKey);
    expect(() => requireSignature('old.json', { ...forged, keyId: signed.keyId }, [ours.publicKey])).toThrow(
      'old.json was changed',
    );
  });

  it.each<[string, (checkpoint: Checkpoint) => unknown]>([
    ['the number of records', (each) => ({ ...each, records: 4 })],
    ['the time', (each) => ({ ...each, madeAt: '2026-05-02T00:00:00.000Z' })],
    ['the newest mark', (each) => (each.partitions[0]?.marks.pop(), each)],
    ['a partition', (each) => ({ ...each, partitions: [] })],
    ['the signature', (each) => ({ ...each, signature: Buffer.alloc(64).toString('base64') })],
  ])('is refused when %s was altered', (_what, change) => {
    expect(() => requireSignature('old.json', parsed(change), [ours.publicKey])).toThrow(
      'old.json was changed after it was signed',
    );
  });

  it.each<[string, unknown, string]>([
    ['text', 'hello', 'expected object'],
    ['another document', { kind: 'Job' }, 'format'],
    ['a checkpoint without signature', { ...signed, signature: undefined }, 'signature'],
    ['one with an unknown field', { ...signed, extra: 1 }, 'extra'],
    [
      'one with marks in another order',
      {
        ...signed,
        partitions: [{ ...chainRecords(records(3)), marks: chainRecords(records(3)).marks.toReversed() }],
      },
      'ascending',
    ],
  ])('is refused when the file is %s', (_what, content, problem) => {
    expect(() => parsed(() => content)).toThrow(/^old.json is not a checkpoint of Jobledger/);
    expect(() => parsed(() => content)).toThrow(problem);
  });

  it('is refused with the advice to use a newer version when its format is newer', () => {
    expect(() => parsed((each) => ({ ...each, format: 'jobledger-checkpoint/2' }))).toThrow(
      'only a newer version of Jobledger reads',
    );
  });
});

describe('a key for checkpoints', () => {
  const pem = ours.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  it('is read from a file in PEM format', () => {
    expect(computeKeyId(readSigningKey('KEY', fileWith(pem)))).toBe(signed.keyId);
    const publicPem = ours.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(computeKeyId(readPublicKey('KEY', fileWith(publicPem)))).toBe(signed.keyId);
  });

  it('is refused in the place of the public key, with the command that writes the public key', () => {
    const read = (): unknown => readPublicKey('KEY', fileWith(pem));
    expect(read).toThrow(/^KEY: (\S+key\.pem) is a private key, .*: openssl pkey -in \1 -pubout$/);
    expect(read).toThrow(InputError);
  });

  it('is named with its file but without its content when it cannot be used', () => {
    expect(() => readSigningKey('KEY', join(folder, 'none.pem'))).toThrow(/^KEY: .*none.pem cannot be read$/);
    const secret = pem.split('\n')[1] ?? '';
    for (const text of ['nonsense', pem.replace(secret, `x${secret.slice(2)}`), rsaKey()]) {
      const read = (): unknown => readSigningKey('KEY', fileWith(text));
      expect(read).toThrow(/^KEY: .*key.pem is not an Ed25519 private key in PEM/);
      expect(read).not.toThrow(secret);
    }
  });
});

function rsaKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
