import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ledgerIn } from '../support/ledger-in.ts';
import { scan } from '../../services/adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import type { Checkpoint } from '../../cli/checkpoint/checkpoint.ts';
import { readSigningKey, signCheckpoint } from '../../cli/checkpoint/signature.ts';
import type { Report } from '../../cli/verbs/verify/report.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { jobledger } from '../support/rebuild.ts';
import { topicBeside } from '../support/shared-servers/own-topics.ts';
import { alteredCopy } from '../support/tampered-copy.ts';

const EVENTS = 600;
/** In a ledger of this size the checkpoint has a hash for every record, so that findings are exact. */
let ledger: ALedger;
let records: LedgerRecord[];
let laterEvents: { key: string; value: string }[];

const filePath = (name: string): string => join(ledger.stateDir, name);
const parseEvent = ({
  value,
}: LedgerRecord): { id: string; type: string; subject: string; data: { jobUid?: string } } =>
  JSON.parse(value?.toString() ?? '{}') as never;

function writeKeys(name: string): void {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = (key: KeyObject, type: 'pkcs8' | 'spki'): string =>
    key.export({ type, format: 'pem' }).toString();
  writeFileSync(filePath(`${name}.key`), pem(privateKey, 'pkcs8'));
  writeFileSync(filePath(`${name}.pub`), pem(publicKey, 'spki'));
}

function sign(output: string, ...args: string[]): ReturnType<typeof jobledger> {
  const environment = { ...ledger.environment, JOBLEDGER_CHECKPOINT_KEY_FILE: filePath('ours.key') };
  return jobledger(environment, 'admin', 'checkpoint', '-o', filePath(output), ...args);
}

/** Runs `verify` without the tables, unless `environment` has their address. */
async function verify(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ exitCode: number; stderr: string; report: Report | null }> {
  const { exitCode, stdout, stderr } = await jobledger(
    { ...ledgerIn(ledger.environment), ...environment },
    'admin',
    'verify',
    ...args,
    '-o',
    'json',
  );
  return { exitCode, stderr, report: stdout === '' ? null : (JSON.parse(stdout) as Report) };
}

const comparing = (file = 'first.json', key = 'ours.pub'): string[] => [
  '--checkpoint',
  filePath(file),
  '--public-key',
  filePath(key),
];

beforeAll(async () => {
  const all = [...(await generateLedger({ events: EVENTS + 100, days: 2, variants: 1 }))];
  laterEvents = all.slice(EVENTS);
  ledger = await startLedger();
  for (const name of ['ours', 'other']) writeKeys(name);
  await ledger.append(all.slice(0, EVENTS));
  await ledger.start('projector');
  await ledger.applied();
  records = [];
  await scan(ledger.kafka, ledger.kafka.topics.ledger, (record) => void records.push(record));
  const { exitCode, stderr } = await sign('first.json');
  if (exitCode !== 0) throw new Error(stderr);
}, 120_000);

afterAll(() => ledger?.stop(), 60_000);

describe('the verb verify with a signed checkpoint of the ledger', () => {
  it('finds no difference in an unchanged ledger', async () => {
    const { exitCode, report } = await verify(['--all', ...comparing()]);
    expect(exitCode).toBe(0);
    expect(report).toMatchObject({ records: EVENTS, findings: [] });
    expect(report?.decisions).toBeGreaterThan(50);
    expect(report?.checkpoint).toMatchObject({ records: EVENTS, findings: [], notes: [] });
  }, 60_000);

  it('finds no difference in a ledger that has grown, also with a second checkpoint that continues the first', async () => {
    await ledger.append(laterEvents);
    const environment = { ...ledger.environment, JOBLEDGER_CHECKPOINT_KEY_FILE: filePath('ours.key') };
    expect(await sign('next.json', '--previous', filePath('first.json'))).toMatchObject({ exitCode: 0 });
    const { stdout } = await jobledger(environment, 'admin', 'checkpoint');
    const [next, atOnce] = [readFileSync(filePath('next.json'), 'utf8'), stdout].map(
      (text) => JSON.parse(text) as Checkpoint,
    );
    expect(next?.partitions).toEqual(atOnce?.partitions);
    expect([next?.records, next?.previous]).toEqual([EVENTS + 100, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(await verify(comparing('next.json'))).toMatchObject({ exitCode: 0 });
    expect(await verify(comparing())).toMatchObject({ exitCode: 0 });
  }, 60_000);

  it('makes only the decisions after the checkpoint again when it gets --since FILE', async () => {
    const since = ['--all', '--since', filePath('first.json'), '--public-key', filePath('ours.pub')];
    const { exitCode, report } = await verify(since);
    const all = await verify(['--all']);
    const later = laterEvents.filter(({ value }) => value.includes('dev.jobledger.job.decided')).length;
    expect({ exitCode, decisions: report?.decisions }).toEqual({ exitCode: 0, decisions: later });
    expect(later).toBeGreaterThan(0);
    expect(all.report?.decisions).toBeGreaterThan(later);
    expect(report?.checkpoint).toMatchObject({ records: EVENTS, findings: [] });
  }, 60_000);
});

describe('a falsified copy of the ledger', () => {
  let middle: LedgerRecord;
  let ofSameJob: LedgerRecord[];
  let newest: LedgerRecord[];
  beforeAll(() => {
    const pods = records.filter((each) => each.offset > 5n && parseEvent(each).type.includes('pod.observed'));
    middle = pods[20] as LedgerRecord;
    ofSameJob = records.filter(({ key }) => key === middle.key);
    newest = records.filter(({ partition }) => partition === middle.partition).slice(-3);
  });
  const without = (all: LedgerRecord[], some: LedgerRecord[]): LedgerRecord[] =>
    all.filter((each) => !some.some((one) => isSame(one, each)));

  const cases: [string, string, (all: LedgerRecord[]) => LedgerRecord[], () => LedgerRecord[]][] = [
    ['a record is missing', 'removed', (all) => without(all, [middle]), () => [middle]],
    [
      'a record is changed',
      'changed',
      (all) => all.map((each) => (isSame(each, middle) ? forged(each) : each)),
      () => [middle],
    ],
    ['the newest records are missing', 'removed', (all) => without(all, newest), () => newest],
    ['a Job is missing', 'removed', (all) => without(all, ofSameJob), () => ofSameJob],
    [
      'a record is inserted',
      'inserted',
      (all) => all.flatMap((each) => (isSame(each, middle) ? [each, forged(each)] : [each])),
      () => [],
    ],
  ];

  it.each(cases)(
    'is detected when %s, and verify reports the place, and from the tables the affected records',
    async (what, type, alter, expected) => {
      const topic = topicBeside(ledger.environment, what.replaceAll(' ', '-'));
      await alteredCopy(ledger.environment, topic, (all) => alter(all.filter(isOfFirst)));
      const environment = { JOBLEDGER_LEDGER_TOPIC: topic, DATABASE_URL: ledger.environment.DATABASE_URL };
      const { exitCode, report } = await verify(comparing(), environment);
      expect(exitCode).toBe(1);
      const findings = report?.checkpoint?.findings ?? [];
      expect(new Set(findings.map((each) => each.type))).toEqual(new Set([type]));
      expect(new Set(findings.map((each) => each.partition))).toEqual(new Set([middle.partition]));
      const context = findings.flatMap((each) => each.context).join('\n');
      for (const record of expected()) {
        expect(context).toContain(
          what === 'a Job is missing' ? parseEvent(record).subject : parseEvent(record).id,
        );
        const isInside = findings.some(
          ({ after, before }) =>
            record.offset > BigInt(after ?? -1) && (before === null || record.offset < BigInt(before)),
        );
        expect(isInside).toBe(true);
      }
      if (type === 'inserted') expect(context).toContain('in the ledger, not in the tables: forged');
    },
    60_000,
  );

  it('is also detected by "verify --all --since" when the tables cannot be read', async () => {
    const environment = { JOBLEDGER_LEDGER_TOPIC: topicBeside(ledger.environment, 'a-record-is-missing') };
    const { exitCode, report } = await verify(
      ['--all', '--since', filePath('first.json'), '--public-key', filePath('ours.pub')],
      environment,
    );
    expect(exitCode).toBe(1);
    expect(report?.checkpoint?.findings).toHaveLength(1);
    expect(report?.checkpoint?.notes).toEqual([
      expect.stringContaining('the tables, which would name the records, cannot be read'),
    ]);
  }, 60_000);

  /** Returns whether the first checkpoint covers a record: the ledger has grown since then. */
  function isOfFirst(record: LedgerRecord): boolean {
    return records.some((each) => isSame(each, record));
  }
});

describe('an unusable checkpoint', () => {
  it.each<[string, () => string[], RegExp]>([
    [
      'signed by another key',
      () => comparing('first.json', 'other.pub'),
      /first.json says that the key \w+ signed it, but you gave the public key/,
    ],
    [
      'compared without a key',
      () => ['--checkpoint', filePath('first.json')],
      /name the public key that must have signed/,
    ],
    [
      'altered after its signature',
      () => comparing(altered()),
      /altered.json was changed after it was signed/,
    ],
    ['named without its file', () => comparing('none.json'), /checkpoint: .*none.json cannot be read/],
  ])(
    'is refused by verify when it is %s',
    async (_what, args, message) => {
      const { exitCode, stderr, report } = await verify(args());
      expect({ exitCode, report }).toEqual({ exitCode: 2, report: null });
      expect(stderr).toMatch(message);
    },
    30_000,
  );

  it('is refused by verify and as a previous checkpoint when it belongs to another ledger', async () => {
    const others = [...(await generateLedger({ events: 100, days: 2, variants: 1, seed: 9 }))];
    const another = topicBeside(ledger.environment, 'another');
    await alteredCopy(ledger.environment, another, () =>
      others.map(({ key, value }, at) => ({
        partition: at % 8,
        offset: BigInt(at),
        key,
        value: Buffer.from(value),
      })),
    );
    const { exitCode, stderr } = await verify(comparing(), { JOBLEDGER_LEDGER_TOPIC: another });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      `the checkpoint belongs to another ledger (topic ${ledger.kafka.topics.ledger}), or every record in it was replaced: the topic ${another} has none`,
    );
    const continued = await jobledger(
      { ...ledger.environment, JOBLEDGER_LEDGER_TOPIC: another },
      'admin',
      'checkpoint',
      '--previous',
      filePath('first.json'),
      '--key-file',
      filePath('ours.key'),
    );
    expect(continued.exitCode).toBe(2);
    expect(continued.stderr).toMatch(/does not continue the previous checkpoint/);
  }, 60_000);
});

describe('the command jobledger admin checkpoint', () => {
  it('refuses to sign when the clock of the machine is behind the previous checkpoint', async () => {
    const later = { ...(JSON.parse(readFileSync(filePath('first.json'), 'utf8')) as Checkpoint) };
    const { signature: _signature, keyId: _keyId, ...content } = later;
    const key = readSigningKey('--key-file', filePath('ours.key'));
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    writeFileSync(
      filePath('tomorrow.json'),
      JSON.stringify(signCheckpoint({ ...content, madeAt: tomorrow }, key)),
    );
    const { exitCode, stderr } = await sign('early.json', '--previous', filePath('tomorrow.json'));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      new RegExp(
        `the clock of this machine says .*, but the ledger or the previous checkpoint is from ${tomorrow}`,
      ),
    );
  }, 30_000);

  it('refuses to run without a signing key', async () => {
    const { exitCode, stderr } = await jobledger(ledger.environment, 'admin', 'checkpoint');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'jobledger: no key to sign with: give --key-file, or set JOBLEDGER_CHECKPOINT_KEY_FILE\n',
    });
  });
});

function isSame(a: LedgerRecord, b: LedgerRecord): boolean {
  return a.partition === b.partition && a.offset === b.offset;
}

function forged(record: LedgerRecord): LedgerRecord {
  const event = parseEvent(record) as { id: string };
  const id = `forged-${event.id}`;
  return { ...record, value: Buffer.from(JSON.stringify({ ...event, id })) };
}

function altered(): string {
  const text = readFileSync(filePath('first.json'), 'utf8');
  writeFileSync(
    filePath('altered.json'),
    text.replace(/"records": \d+,\s+"previous"/, '"records": 1, "previous"'),
  );
  return 'altered.json';
}
