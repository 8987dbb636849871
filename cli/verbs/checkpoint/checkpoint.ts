import { existsSync, statSync, writeFileSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import { Option, type Command } from 'commander';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import { digestOfCheckpoint, FORMAT, type Checkpoint } from '../../checkpoint/checkpoint.ts';
import { isSignedBefore } from '../../checkpoint/ledger-time.ts';
import { readSigningKey, signCheckpoint } from '../../checkpoint/signature.ts';
import {
  publicKeyOption,
  trustedCheckpoint,
  type PublicKeyOption,
} from '../../checkpoint/trusted-checkpoint.ts';
import { openLedger } from '../../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { report } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { countText } from '../../print/counted.ts';
import { readChains } from './read-chains.ts';

interface CheckpointOptions extends StateDirOption, PublicKeyOption {
  readonly keyFile?: string;
  readonly previous?: string;
  readonly output?: string;
}

const KEY = 'JOBLEDGER_CHECKPOINT_KEY_FILE';

/** Adds the verb `checkpoint`. */
export function registerCheckpoint(program: Command): void {
  const command = program
    .command('checkpoint')
    .description(
      'sign the present contents of the ledger in a checkpoint; keep it away from the ledger: "jobledger admin verify --checkpoint" finds records that were removed, changed or inserted before it',
    )
    .addOption(
      new Option('--key-file <file>', 'the Ed25519 private key, in PEM (PKCS#8), that signs').env(KEY),
    )
    .option('--previous <file>', 'an earlier checkpoint to continue: only newer records are read')
    .option('-o, --output <file>', 'the file to write, which must not exist (default: standard output)');
  stateDirOption(publicKeyOption(command)).action(checkpoint);
}

/** Makes a checkpoint of the ledger, and writes it to a file or to standard output. */
async function checkpoint(options: CheckpointOptions, command: Command): Promise<void> {
  if (options.keyFile === undefined)
    throw new InputError(`no key to sign with: give --key-file, or set ${KEY}`);
  const setting = command.getOptionValueSource('keyFile') === 'env' ? KEY : '--key-file';
  const key = readSigningKey(setting, options.keyFile);
  if (options.output !== undefined) requireNewFile(options.output);
  const previous = readPrevious(options, key);
  const made = await makeCheckpoint(await openLedger(options), key, previous);
  if (options.output === undefined) writeJson(made);
  else writeTo(options.output, made);
  report(
    `${countText(made.records, 'record')} of the topic ${made.ledger} covered, signed by the key ${made.keyId}`,
  );
}

/** Reads the ledger up to its present end, and signs its contents. */
async function makeCheckpoint(
  connection: KafkaConnection,
  key: KeyObject,
  previous: Checkpoint | null,
): Promise<Checkpoint> {
  const madeAt = new Date().toISOString();
  const { partitions, newest } = await readChains(connection, previous);
  const madeBefore = [...newest, ...(previous === null ? [] : [previous.madeAt])];
  const later = madeBefore.find((time) => isSignedBefore(madeAt, time));
  if (later !== undefined)
    throw new InputError(
      `the clock of this machine says ${madeAt}, but the ledger or the previous checkpoint is from ${later}: a checkpoint with this date would prove nothing; correct the clock`,
    );
  const content = {
    format: FORMAT,
    ledger: connection.topics.ledger,
    madeAt,
    records: partitions.reduce((sum, { marks }) => sum + (marks.at(-1)?.records ?? 0), 0),
    previous: previous === null ? null : digestOfCheckpoint(previous),
    partitions,
  } as const;
  return signCheckpoint(content, key);
}

/** Reads the previous checkpoint, which must have the same signer, unless the user names other keys. */
function readPrevious({ previous, publicKey }: CheckpointOptions, key: KeyObject): Checkpoint | null {
  if (previous === undefined) return null;
  return trustedCheckpoint(previous, { publicKey }, [key]);
}

/**
 * Protects an earlier checkpoint, which is the only proof of its time, from being overwritten. @throws InputError if the file exists and is neither a
 * device nor a pipe.
 */
function requireNewFile(file: string): void {
  if (isFile(file))
    throw new InputError(`${file} exists, and a checkpoint never replaces a file: give another --output`);
}

/** True when the path leads to an existing regular file. */
function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

/** Writes a checkpoint to a new file. @throws InputError. */
function writeTo(file: string, made: Checkpoint): void {
  requireNewFile(file);
  try {
    writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { flag: existsSync(file) ? 'w' : 'wx' });
  } catch (error) {
    throw new InputError(`${file} cannot be written: ${errorMessage(error)}`);
  }
}
