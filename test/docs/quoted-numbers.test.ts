import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';

/** A number on a page, captured by `quoted`, and the constant in the source that it repeats, in units of `unit`. */
interface QuotedNumber {
  page: string;
  quoted: RegExp;
  file: string;
  constant: string;
  unit?: number;
}

const S = 1000;
const KIB = 1024;
const MIB = 1024 * KIB;

// oxfmt-ignore
const QUOTED: readonly QuotedNumber[] = [
  { page: 'decisions/0043-lingering-under-load', quoted: /is (\d+) ms in the dispatcher/, file: 'services/dispatcher/consume.ts', constant: 'LINGER_MS' },
  { page: 'decisions/0043-lingering-under-load', quoted: /(\d+) ms between two batches of the ingester/, file: 'services/ingester/append/append-queue.ts', constant: 'LINGER_MS' },
  { page: 'decisions/0043-lingering-under-load', quoted: /(\d+) ms in the projector/, file: 'services/projector/service.ts', constant: 'LINGER_MS' },
  { page: 'decisions/0052-the-live-topic-once-a-second', quoted: /linger (\d+) ms between batches/, file: 'services/ingester/append/append-queue.ts', constant: 'LINGER_MS' },
  { page: 'decisions/0052-the-live-topic-once-a-second', quoted: /the projector (\d+) ms/, file: 'services/projector/service.ts', constant: 'LINGER_MS' },
  { page: 'decisions/0052-the-live-topic-once-a-second', quoted: /an appender (\d+) ms/, file: 'services/adapters/kafka/append.ts', constant: 'LINGER_MS' },
  { page: 'operate/troubleshoot', quoted: /requests to Kafka of (\d+) KiB or more/, file: 'services/adapters/kafka/producer.ts', constant: 'ZSTD_FROM', unit: KIB },
  { page: 'decisions/0048-what-is-compressed', quoted: /requests of (\d+) KiB and more with zstd/, file: 'services/adapters/kafka/producer.ts', constant: 'ZSTD_FROM', unit: KIB },
  { page: 'operate/troubleshoot', quoted: /holds at most ([\d,]+) changes/, file: 'services/ingester/append/append-queue.ts', constant: 'CAPACITY' },
  { page: 'operate/troubleshoot', quoted: /changes or (\d+) MiB/, file: 'services/ingester/append/append-queue.ts', constant: 'CAPACITY_BYTES', unit: MIB },
  { page: 'operate/troubleshoot', quoted: /after (\d+) s of silence/, file: 'services/ingester/watch/list-watch.ts', constant: 'IDLE_MS', unit: S },
  { page: 'operate/troubleshoot', quoted: /list takes longer than (\d+) s/, file: 'services/ingester/watch/periodic-list.ts', constant: 'LONG_MS', unit: S },
  { page: 'operate/scale', quoted: /counts as dead after (\d+) s/, file: 'services/adapters/kubernetes/lease.ts', constant: 'DURATION_SECONDS' },
  { page: 'operate/leave', quoted: /only (\d+) s after its last poll/, file: 'cli/verbs/detach/hindrances.ts', constant: 'QUIET_MS', unit: S },
  { page: 'operate/notifications', quoted: /status from 200 to 299 within (\d+) s/, file: 'services/projector/sink/post-message.ts', constant: 'ANSWER_MS', unit: S },
  { page: 'decisions/0054-bounded-decisions', quoted: /names more than ([\d,]+) pods/, file: 'workflows/job/commands.ts', constant: 'MAX_PODS_IN_COMMAND' },
  { page: 'annotations', quoted: /The value names at most (\d+) Jobs/, file: 'workflows/job/definitions/chain.ts', constant: 'MAX_AWAITED' },
  { page: 'api', quoted: /more than (\d+) KiB, or/, file: 'services/api/service.ts', constant: 'BODY_BYTES', unit: KIB },
  { page: 'api', quoted: /or (\d+) MiB for a Job/, file: 'services/api/routes/submit.ts', constant: 'MANIFEST_BYTES', unit: MIB },
  { page: 'api', quoted: /more than ([\d,]+) events to replay/, file: 'services/api/short-streams.ts', constant: 'LONGEST' },
  { page: 'api', quoted: /streams of up to ([\d,]+) events/, file: 'services/api/short-streams.ts', constant: 'LONGEST_OF_CRON_JOB' },
  { page: 'api', quoted: /results of at most ([\d,]+) events/, file: 'services/api/routes/what-if.ts', constant: 'EVENTS_PER_PAGE' },
  { page: 'why-and-what-if', quoted: /pod-hours saved; decided by core (\d+)/, file: 'workflows/job/record/decision-record.ts', constant: 'CORE_VERSION' },
  { page: 'why-and-what-if', quoted: /earlier; decided by core (\d+)/, file: 'workflows/cron-job/record/decision-record.ts', constant: 'CORE_VERSION' },
];

describe('a number on a page of the docs', () => {
  it.each(QUOTED)(
    'equals the number in the code: $page, $constant',
    ({ page, quoted, file, constant, unit = 1 }) => {
      const text = readFileSync(join(PACKAGE_DIR, 'docs', `${page}.md`), 'utf8').replaceAll(/\s+/g, ' ');
      const numbers = Array.from(text.matchAll(new RegExp(quoted, 'g')), ([, found]) =>
        Number(found?.replaceAll(',', '')),
      );
      const value = readConstant(file, constant) / unit;
      expect(new Set(numbers)).toEqual(new Set([value]));
    },
  );
});

/** The value of `const NAME = 4 * 1024`, or of a version in quotes. */
function readConstant(file: string, constant: string): number {
  const source = readFileSync(join(PACKAGE_DIR, file), 'utf8');
  const [, expression = ''] = new RegExp(`const ${constant} = ['"]?([\\d_* ]+)['"]?;`).exec(source) ?? [];
  return expression
    .replaceAll('_', '')
    .split('*')
    .reduce((product, factor) => product * Number(factor), 1);
}
