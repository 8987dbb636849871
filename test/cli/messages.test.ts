import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resolveAddresses } from '../../cli/addresses.ts';
import { kindNamed, wantedJob, wantedStream } from '../../cli/job-argument.ts';
import { programWith } from '../../cli/main.ts';
import { jobDescription } from '../../cli/verbs/describe/job-description.ts';
import type { PodThere } from '../../cli/sources/pods-of-job.ts';
import { manifestTexts } from '../../cli/verbs/submit/submit.ts';
import { isLoading } from '../../services/adapters/kafka/subscribe.ts';
import { JOB_VIEW, POD_VIEW, type JobView } from '../../services/read-model/views/jobs.ts';
import { PLACEMENT_VIEW, type PlacementView } from '../../services/read-model/views/placements.ts';
import { listeningApi, type ListeningApi } from '../support/listening-api.ts';
import { jobledger } from '../support/rebuild.ts';

describe('the argument that names a Job as in kubectl', () => {
  it.each(['pi', 'job/pi', 'jobs/pi', 'job.batch/pi'])('may have the form %s', (argument) => {
    expect(wantedJob(argument, {})).toEqual({ name: 'pi' });
  });

  it.each(['cronjob/pi', 'cj/pi', 'cronjobs.batch/pi'])('selects a CronJob in the form %s', (argument) => {
    expect(wantedStream(argument, {})).toEqual({ name: 'pi', kind: 'cronjob' });
  });

  it.each(['jobs', 'cronjobs', 'pods'])(
    'may begin with the kind %s, but not with a word that names no kind',
    (word) => {
      expect(kindNamed(word)).not.toBeNull();
      expect(kindNamed('pi')).toBeNull();
    },
  );

  it.each(['cronjob/pi', 'cj/default/pi'])(
    'is refused in the form %s where the verb takes only Jobs',
    (argument) => {
      expect(() => wantedJob(argument, {})).toThrow(
        `"${argument}" is a CronJob; expected a Job, as NAME, NAMESPACE/NAME or CLUSTER/NAMESPACE/NAME: "jobledger describe cronjob/NAME" lists`,
      );
    },
  );

  it('is refused in the form pod/NAME with advice', () => {
    expect(() => wantedJob('pod/pi-x', {})).toThrow('"jobledger why pod/NAME" explains a pod');
  });
});

describe('the verb submit', () => {
  it('reads the manifests of a directory in order of their names, and reports an empty directory', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobledger-manifests-'));
    await expect(manifestTexts(folder)).rejects.toThrow(`${folder} contains no .yaml, .yml or .json file`);
    for (const name of ['b.yml', 'a.json', 'notes.txt']) writeFileSync(join(folder, name), name);
    expect(await manifestTexts(folder)).toEqual([
      { file: join(folder, 'a.json'), text: 'a.json' },
      { file: join(folder, 'b.yml'), text: 'b.yml' },
    ]);
    await expect(manifestTexts(join(folder, 'none'))).rejects.toThrow('none cannot be read');
  });
});

describe('the error of a verb without a configured connection', () => {
  it('first advises the user to give the address of an API', () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-nothing-'));
    expect(() => resolveAddresses({ stateDir }, {}).postgres).toThrow(
      'to use an API, sign in with "jobledger login URL" or give --server; to use servers, start "jobledger up"',
    );
  });

  it('names a state directory that cannot be read, unless the user gives an address', () => {
    const stateDir = join(mkdtempSync(join(tmpdir(), 'jobledger-unreadable-')), 'state');
    writeFileSync(stateDir, 'a file, which also the superuser cannot enter');
    expect(() => resolveAddresses({ stateDir }, {}).postgres).toThrow(
      `the state directory ${stateDir} cannot be read: ENOTDIR`,
    );
    expect(resolveAddresses({ stateDir }, { TEMPORAL_ADDRESS: 'temporal:7233' }).temporalAddress).toBe(
      'temporal:7233',
    );
  });
});

describe('an https address of an API without TLS', () => {
  let api: ListeningApi;
  beforeAll(async () => {
    api = await listeningApi();
  });
  afterAll(() => api.close());

  it('is refused with the advice to use http', async () => {
    const server = api.url.replace('http:', 'https:');
    const { stderr, exitCode } = await jobledger({}, 'get', '--server', server);
    expect(stderr).toContain(`; it does not speak TLS: give --server ${api.url}`);
    expect(exitCode).toBe(1);
  });
});

describe('a Kafka server that is still starting', () => {
  it('is not reported as a crash', () => {
    const loading = Object.assign(new Error('The coordinator is loading'), {
      type: 'GROUP_LOAD_IN_PROGRESS',
    });
    expect(isLoading(loading)).toBe(true);
    expect(isLoading(new Error('retried', { cause: loading }))).toBe(true);
    expect(isLoading(new Error('The coordinator is loading'))).toBe(false);
  });
});

describe('the description of a Job', () => {
  const NOTHING_MORE = {
    submission: null,
    conditions: [],
    chain: [],
    who: [],
    obstacles: [],
    placements: [],
    home: null,
  };
  const empty = (names: object): object => Object.fromEntries(Object.keys(names).map((name) => [name, null]));
  const pod = (fields: Partial<PodThere>): PodThere =>
    ({ ...empty(POD_VIEW.shape), name: 'pi-x', ...fields }) as PodThere;
  const grant = (fields: Partial<PlacementView>): PlacementView =>
    ({
      ...empty(PLACEMENT_VIEW.shape),
      message: 'it is the best',
      given_at: '12:00',
      ...fields,
    }) as PlacementView;
  const described = (pods: PodThere[]): string => {
    const fields = { name: 'pi', labels: {}, status: 'Pending', waiting_for: '0 of 2 nodes fit' };
    const job = { ...empty(JOB_VIEW.shape), ...fields };
    return jobDescription({ ...NOTHING_MORE, job: job as JobView, pods });
  };

  it('shows why the Job waits', () => {
    expect(described([])).toMatch(/^Status: +Pending\n(?:.*\n)*?Waiting for: +0 of 2 nodes fit$/m);
  });

  it('shows the user of each action on lines that nobody can forge, and reports when the user is not recorded', () => {
    const text = jobDescription({
      ...NOTHING_MORE,
      job: {
        ...empty(JOB_VIEW.shape),
        name: 'pi',
        labels: {},
        suspend: true,
        deleted_at: '14:00',
      } as JobView,
      who: [
        { action: 'created', by: 'ann', impersonated_by: null, user_agent: null, at: '12:00' },
        { action: 'deleted', by: 'eve\n  created by', impersonated_by: 'dan', user_agent: 'x', at: '14:00' },
      ],
      pods: [],
    });
    expect(text).toMatch(/^ +created +ann +12:00/m);
    expect(text).toMatch(/^ +deleted +eve\\n {2}created by, impersonated by dan +14:00 +x/m);
    expect(text).toMatch(/^ +suspended +not recorded/m);
    expect(text).not.toMatch(/^ +created +not recorded/m);
  });

  it('shows the present and the earlier clusters of a placed Job with the reasons, and how to read a log', () => {
    const text = jobDescription({
      ...NOTHING_MORE,
      job: { ...empty(JOB_VIEW.shape), namespace: 'team', labels: {}, placed_in: 'north' } as JobView,
      placements: [
        grant({
          placed_in: 'west',
          member_name: 'pi',
          member_uid: 'm1',
          ended_at: '13:00',
          end_reason: 'stopped',
          end_message: 'it is drained',
        }),
        grant({ placed_in: 'north', member_name: 'pi-m2', member_uid: 'm2' }),
      ],
      pods: [pod({ name: 'pi-m2-x', cluster: 'north', job_name: 'pi-m2' })],
    });
    expect(text).toMatch(/^Runs in: +north, as pi-m2$/m);
    expect(text).toMatch(/^Log of a pod: +kubectl --context north -n team logs pi-m2-x$/m);
    expect(text).toMatch(/^ +west +pi +12:00 +13:00 +stopped: it is drained .*it is the best$/m);
    expect(text).toContain('Pods of pi-m2 in north:');
  });

  it('has a line for each member of a spread Job, the indexes of the member over time, and a log in each cluster', () => {
    const member = { kubectl_status: 'Running', succeeded: 0, failed: 0 };
    const held = (indexes: string, since: string, until: string | null = null) => ({
      indexes,
      since,
      until,
      decision: 'd',
    });
    const text = jobDescription({
      ...NOTHING_MORE,
      job: {
        ...empty(JOB_VIEW.shape),
        cluster: 'east',
        namespace: 'team',
        labels: {},
        placed_in: 'north, west',
      } as JobView,
      placements: [
        grant({
          ...member,
          placed_in: 'west',
          member_name: 'pi',
          member_uid: 'm1',
          active: 1,
          current_indexes: '0,1',
          granted: [
            held('0,1', '2026-01-01T12:00:00Z'),
            held('2,3', '2026-01-01T12:00:00Z', '2026-01-01T12:40:00Z'),
          ],
        }),
        grant({
          ...member,
          placed_in: 'north',
          member_name: 'pi-m2',
          member_uid: 'm2',
          active: 2,
          succeeded: 1,
          stopping: 'drain',
          current_indexes: '2-5',
          granted: [held('4,5', '2026-01-01T12:02:00Z'), held('2,3', '2026-01-01T12:41:00Z')],
        }),
        grant({
          placed_in: 'south',
          member_name: 'pi-m3',
          ended_at: '12:01',
          end_reason: 'refused',
          granted: [],
        }),
      ],
      pods: [
        pod({ name: 'pi-0-x', cluster: 'west', job_name: 'pi', completion_index: 0 }),
        pod({ name: 'pi-4-x', cluster: 'north', job_name: 'pi-m2', completion_index: 4 }),
        pod({ name: 'pi-5-x', cluster: 'north', job_name: 'pi-m2', completion_index: 5 }),
      ],
    });
    expect(text).toMatch(/^Runs in: +north, west$/m);
    expect(text).toMatch(/^Log of a pod in west: +kubectl --context west -n team logs pi-0-x$/m);
    expect(text).toMatch(/^Log of a pod in north: +kubectl --context north -n team logs pi-5-x$/m);
    const [, members = ''] = /^Members:\n((?: .*\n)+)/m.exec(text) ?? [];
    expect(
      members
        .trimEnd()
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      ['CLUSTER', 'MEMBER', 'STATUS', 'INDEXES', 'ACTIVE', 'SUCCEEDED', 'FAILED'],
      ['west', 'pi', 'Running', '0,1', '1', '0', '0'],
      ['north', 'pi-m2', 'Running, stops: drain', '2-5', '2', '1', '0'],
    ]);
    const [, indexes = ''] = /^Indexes:\n((?: .*\n)+)/m.exec(text) ?? [];
    expect(
      indexes
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      ['0,1', 'west', '2026-01-01T12:00:00Z', 'now'],
      ['2,3', 'west', '2026-01-01T12:00:00Z', '2026-01-01T12:40:00Z'],
      ['4,5', 'north', '2026-01-01T12:02:00Z', 'now'],
      ['2,3', 'north', '2026-01-01T12:41:00Z', 'now'],
    ]);
    expect(text).toMatch(/^Pods of pi in west:\n.*\n +0 +pi-0-x/m);
    expect(text).toMatch(/^Pods of pi-m2 in north:\n.*\n +4 +pi-4-x .*\n +5 +pi-5-x/m);
  });

  it('shows the placed Job to which a member belongs', () => {
    const home = { cluster: 'east', namespace: 'team', name: 'pi', uid: 'u1' };
    const job = { ...empty(JOB_VIEW.shape), cluster: 'west', namespace: 'team', labels: {} } as JobView;
    const text = jobDescription({ ...NOTHING_MORE, job, home, pods: [pod({ name: 'pi-x' })] });
    expect(text).toMatch(/^Runs the placed Job: +east\/team\/pi$/m);
    expect(text).toMatch(/kubectl --context west -n team logs pi-x$/m);
  });

  it('shows that a pod that succeeded was counted as failed', () => {
    const stopped = pod({ phase: 'Succeeded', end_message: 'Succeeded', counted_as: 'failed' });
    expect(described([stopped])).toContain('Succeeded after it was asked to stop; counted as failed');
  });

  it('shows why a container could not be started', () => {
    const message = 'executable file not found in $PATH';
    const absent = pod({
      phase: 'Failed',
      end_message: 'exit code 128 (StartError)',
      reason: 'StartError',
      message,
    });
    expect(described([absent])).toContain(`exit code 128 (StartError): ${message}`);
    expect(described([{ ...absent, message: '[redacted]' }])).toMatch(/exit code 128 \(StartError\)$/m);
  });
});

describe('the help of the verb retention', () => {
  it('lists the rows that the verb removes, and gives an example of an instant', async () => {
    const [retention] = (await programWith(['admin', 'retention'])).commands
      .flatMap(({ commands }) => commands)
      .filter((verb) => verb.name() === 'retention');
    expect(retention?.helpInformation().replaceAll(/\s+/g, ' ')).toContain(
      'remove everything about ended Jobs whose objects were deleted from their cluster before this instant, such as 2026-08-01T00:00:00Z',
    );
  });
});
