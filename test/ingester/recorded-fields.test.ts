import { describe, expect, it } from '@jest/globals';
import { keepFields } from '../../services/ingester/redaction/keep-fields.ts';
import { toRecordedManager } from '../../services/ingester/redaction/managed-fields.ts';
import {
  additionalFieldPaths,
  recordedFields,
  recordFieldsSetting,
} from '../../services/ingester/redaction/recorded-fields.ts';

/** Of a pod with one container, under a setting. */
function podUnder(setting: string, redactEnv = true): unknown {
  const { pod } = recordedFields(recordFieldsSetting.parse(setting), redactEnv);
  return keepFields(POD, pod);
}

const POD = {
  metadata: {
    name: 'pi-x',
    labels: { app: 'pi' },
    annotations: {
      'example.com/team': 'blue',
      'example.com/token': 't',
      'batch.kubernetes.io/job-completion-index': '0',
    },
  },
  spec: {
    restartPolicy: 'Never',
    containers: [
      { name: 'main', image: 'pi:1', command: ['pi', '--token=t'], env: [{ name: 'TOKEN', value: 't' }] },
    ],
    aFieldOfTomorrow: { nested: ['t'] },
  },
  status: {
    phase: 'Failed',
    containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 1, message: 'token=t' } } }],
  },
};

const RECORDED = {
  metadata: {
    name: 'pi-x',
    labels: { app: 'pi' },
    annotations: {
      'example.com/team': '[redacted]',
      'example.com/token': '[redacted]',
      'batch.kubernetes.io/job-completion-index': '0',
    },
  },
  spec: {
    restartPolicy: 'Never',
    containers: [
      { name: 'main', image: 'pi:1', command: '[redacted]', env: [{ name: 'TOKEN', value: '[redacted]' }] },
    ],
    aFieldOfTomorrow: '[redacted]',
  },
  status: {
    phase: 'Failed',
    containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 1, message: '[redacted]' } } }],
  },
};

describe('the recorded fields of a pod', () => {
  it('are the listed fields, and the value of every other field is replaced, also of unknown fields', () => {
    expect(podUnder('')).toEqual(RECORDED);
  });

  it('include an additional field that a setting names', () => {
    const { spec, ...rest } = RECORDED;
    const [main] = spec.containers;
    const containers = [{ ...main, command: ['pi', '--token=t'] }];
    expect(podUnder('pod.spec.containers.command')).toEqual({ ...rest, spec: { ...spec, containers } });
  });

  it('include every field whose name matches a setting with an asterisk', () => {
    const annotations = { ...RECORDED.metadata.annotations, 'example.com/team': 'blue' };
    const metadata = { ...RECORDED.metadata, annotations };
    expect(podUnder('pod.metadata.annotations[example.com/te*], pod.status.*.lastState')).toEqual({
      ...RECORDED,
      metadata,
    });
  });

  it('include literal values of variables when these are not redacted', () => {
    expect(podUnder('', false)).toMatchObject({
      spec: { containers: [{ env: [{ name: 'TOKEN', value: 't' }] }] },
    });
  });

  it('are not copied when no value is replaced', () => {
    const whole = { metadata: { name: 'pi-x' }, spec: { nodeName: 'n' } };
    expect(keepFields(whole, recordedFields().pod)).toBe(whole);
  });
});

describe('the recorded fields of a pod template', () => {
  it.each([
    [
      'Job',
      'job',
      { spec: { parallelism: 1, template: POD } },
      { spec: { parallelism: 1, template: RECORDED } },
    ],
    [
      'CronJob',
      'cronjob',
      { spec: { schedule: '@daily', jobTemplate: { spec: { parallelism: 1, template: POD } } } },
      { spec: { schedule: '@daily', jobTemplate: { spec: { parallelism: 1, template: RECORDED } } } },
    ],
  ] as const)('include the recorded fields of a pod in a %s', (_kind, object, given, recorded) => {
    expect(keepFields<unknown>(given, recordedFields()[object])).toEqual(recorded);
  });

  it('include an additional field of pods that a setting names', () => {
    const fields = recordedFields(recordFieldsSetting.parse('pod.spec.containers.command'));
    const command = ['pi', '--token=t'];
    const job = { spec: { template: POD } };
    const found = { spec: { template: { spec: { containers: [{ command }] } } } };
    expect(keepFields<unknown>(job, fields.job)).toMatchObject(found);
    expect(keepFields<unknown>({ spec: { jobTemplate: job } }, fields.cronjob)).toMatchObject({
      spec: { jobTemplate: found },
    });
  });
});

describe('the setting of recorded fields', () => {
  it.each([
    'spec.containers.command',
    'pod',
    'pods.spec',
    'pod..spec',
    'pod.spec.',
    'pod.annotations[',
    'node.spec',
  ])('refuses the value %s, with an example', (path) => {
    const { error } = recordFieldsSetting.safeParse(path);
    expect(error?.issues[0]?.message).toBe(
      `"${path}" is not the path of a field; write for example pod.spec.containers.command or job.metadata.annotations[example.com/*]`,
    );
  });
});

describe('the managed fields of an object', () => {
  it('are recorded with manager, fields and time, without the values that identify elements of lists', () => {
    const time = '2026-01-01T00:00:00Z';
    const fieldsV1 = {
      'f:metadata': { 'f:finalizers': { '.': {}, 'v:"secret"': {} }, 'f:labels': { 'f:app': {} } },
      'f:spec': { 'f:suspend': {}, 'k:{"name":"secret"}': {} },
      'f:status': {},
    };
    const entry = {
      manager: 'kubectl',
      operation: 'Update',
      apiVersion: 'batch/v1',
      time,
      fieldsType: 'FieldsV1',
      fieldsV1,
    };
    expect(toRecordedManager(entry)).toEqual({
      manager: 'kubectl',
      operation: 'Update',
      time,
      fields: ['metadata.finalizers', 'metadata.labels', 'spec.suspend', 'status'],
    });
  });
});

describe('the paths of additional recorded fields', () => {
  const furtherPaths = (setting: string, redactEnv = true): string[] =>
    additionalFieldPaths(recordFieldsSetting.parse(setting), redactEnv);

  it('are the paths of the setting, and give the same rules when they are read as a setting', () => {
    const setting = 'pod.spec.containers.command, pod.*.annotations[example.com/*],job.metadata[x-y]';
    const paths = furtherPaths(setting);
    expect(paths).toEqual([
      'pod.spec.containers.command',
      'pod.*.annotations[example.com/*]',
      'job.metadata.x-y',
    ]);
    expect(recordFieldsSetting.parse(paths.join(','))).toEqual(recordFieldsSetting.parse(setting));
    expect(furtherPaths('')).toEqual([]);
  });

  it('include the values of variables when these are recorded', () => {
    expect(furtherPaths('', false)).toEqual([
      'pod.spec.containers.env.value',
      'pod.spec.initContainers.env.value',
      'pod.spec.ephemeralContainers.env.value',
    ]);
  });
});
