import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { contract, CONTRACT_FILE, contractText } from './contract.ts';
import type { Entry } from './entry.ts';
import { metricEntries } from './metric-entries.ts';
import {
  nameKey,
  meaningsIn,
  NAMES_FILE,
  NAMES_PAGE,
  namesIn,
  pageWithNames,
  findProblems,
} from './names.ts';
import { settingEntries } from './setting-entries.ts';

const source = (text: string) => ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
const entryLines = (entries: readonly Entry[]) => entries.map(({ line }) => line);

describe('the public contract', () => {
  let entries: Entry[] = [];
  beforeAll(async () => {
    entries = await contract();
  }, 60_000);

  it('is the text of docs/contract.txt, which "npm run contract" writes', () => {
    expect(contractText(entries)).toBe(readFileSync(CONTRACT_FILE, 'utf8'));
  });

  it.each([
    'dev.jobledger.job.decided.v1 (Job) data.nextDecisionAt: UnixMs | null',
    'Command(kind=CreatePods).pods: PodToCreate[]',
    'Outcome(kind=WriteStatus result=conflict).job: JobFacts',
    'Reason.message: string',
    'jobs.kubectl_status: text not null',
    'jobs.created_at: timestamptz',
    'function jobs_as_of(at timestamptz): SETOF job_statuses',
    'GET /v1/jobs query limit?: integer',
    'JobWithConditions.waiting_for: string | null',
    'jobledger admin verify --all',
    'jobledger get -o, --output <format>: wide | yaml | json | name',
    'counter job_controller_job_syncs_total{action, completion_mode, result}',
    'gauge jobledger_last_dead_letter_timestamp_seconds',
    'JOBLEDGER_CLAIM: "managed" | "all"',
    'JOBLEDGER_KUBE_APISERVER: text',
    'jobledger.dev/after',
    'topic <ledger>.live',
  ])('contains the line %s', (line) => {
    expect(entryLines(entries)).toContain(line);
  });

  it('contains no field of Kubernetes objects, of states, or of lists', () => {
    const lines = entryLines(entries);
    expect(lines).toContain('dev.jobledger.job.observed.v1 (Job) data.object: Kubernetes Job');
    expect(lines.filter((line) => /\b(uncounted\.succeeded|toString|ownerReferences)\b/.test(line))).toEqual(
      [],
    );
  });

  it('contains no numeric instant of an event in another unit than milliseconds', () => {
    const numbers = entries.filter(({ place, line }) => place === 'events' && /\bnumber\b/.test(line));
    const instants = /(\b(at|now|since|from|until|deadline|consecutive)|[a-z](At|Since|Until))$/;
    const fields = entryLines(numbers).map((line) => line.split(/\??: /)[0] ?? '');
    expect(fields.filter((field) => instants.test(field))).toEqual([]);
  });

  it('contains names that are all once in docs/vocabulary.md, with a meaning from docs/names.yaml or the code', () => {
    const names = namesIn(entries);
    const meanings = meaningsIn(readFileSync(NAMES_FILE, 'utf8'));
    expect(findProblems(names, meanings)).toEqual([]);
    const page = readFileSync(NAMES_PAGE, 'utf8');
    expect(pageWithNames(page, names, meanings)).toBe(page);
    expect(names.length).toBeGreaterThan(700);
  });
});

describe('a metric of the contract', () => {
  it('has the name and the labels of each call of the function that makes it', () => {
    const text = `
      export function countAll(metrics) { count(metrics, 'a_total', 'All.', 'x', ...more); }
      const more = ['y'];
      function count(metrics, name, help, ...labels) { return metrics.counter({ name, help, labels }); }
      other.gauge({ name: 'b', help: 'B.', labels: [] }, () => []);`;
    expect(entryLines(metricEntries([source(text)]))).toEqual(['counter a_total{x, y}', 'gauge b']);
  });

  it('must have a name that the script can read', () => {
    const text = `metrics.gauge({ name: made(), help: 'B.', labels: [] }, () => []);`;
    expect(() => metricEntries([source(text)])).toThrow('made() is no list of texts');
  });
});

describe('a setting of the contract', () => {
  it('has the type that its schema gives it', () => {
    const text = `
      z.object({ JOBLEDGER_A: z.enum(['x', 'y']).default('x'), KAFKA_B: integer(1), JOBLEDGER_C: z.coerce.number().positive() });
      const given = environment['JOBLEDGER_D'];
      throw new Error('JOBLEDGER_E is not set');`;
    expect(entryLines(settingEntries([source(text)], ['JOBLEDGER_F'])).toSorted()).toEqual([
      'JOBLEDGER_A: "x" | "y"',
      'JOBLEDGER_C: number',
      'JOBLEDGER_D: text',
      'JOBLEDGER_F: text',
      'KAFKA_B: integer',
    ]);
  });
});

describe('a name of the contract', () => {
  it.each([
    ['jobUid', 'job_uid'],
    ['--job-uid', 'job_uid'],
    ['failedIndexes', 'failed_indexes'],
    ['job.observed', 'job.observed'],
    ['CreatePods', 'CreatePods'],
    ['jobledger admin verify', 'jobledger admin verify'],
  ])('has the same key in each of its spellings: %s has the key %s', (spelling, key) => {
    expect(nameKey(spelling)).toBe(key);
  });

  const entries: Entry[] = [
    { place: 'events', line: 'jobUid', names: ['jobUid'] },
    { place: 'SQL', line: 'job_uid', names: ['job_uid'] },
    { place: 'metrics', line: 'a{b}', names: ['a', 'b'], meaning: 'All.' },
  ];

  it('has one row for all its spellings', () => {
    const page = pageWithNames(
      '# Page\n\n<!-- names -->\n',
      namesIn(entries),
      new Map([['job_uid', 'UID.']]),
    );
    expect(page).toContain('| `jobUid`, `job_uid` | events, SQL | UID. |');
    expect(page).toContain('| `a` | metrics | All. |');
  });

  it('must have a meaning, which must not be empty', () => {
    const meanings = new Map([
      ['a', 'Again.'],
      ['old', 'Gone.'],
    ]);
    expect(findProblems(namesIn(entries), meanings)).toEqual([
      'b (metrics) has no meaning in docs/names.yaml',
      'job_uid (events, SQL) has no meaning in docs/names.yaml',
      'a has its meaning in the code, and another one in docs/names.yaml',
      'old of docs/names.yaml is no name of the contract',
    ]);
    expect(() => meaningsIn('kubernetes: [a]\nnames: { a: A. }\n')).toThrow('two meanings of a');
  });
});
