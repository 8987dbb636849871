import { jobFacts, podFacts } from '../../workflows/job/observe/compact.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { redactJob, redactPod } from '../../services/ingester/redaction/redact.ts';
import { jobObject, podObject } from '../support/builders.ts';
import { recordedFields, recordFieldsSetting } from '../../services/ingester/redaction/recorded-fields.ts';

/** Records what the objects here contain. */
const fields = recordedFields(
  recordFieldsSetting.parse(
    'pod.spec.*ontainers.args, pod.metadata.annotations[*], job.metadata.annotations[*]',
  ),
);
const redaction = { fields, maxBytes: 20_000 };
const long = 'x'.repeat(30_000);

/** With values of every part that decisions read. */
function aPod({ annotation = '', variable = '', message = '' }): Pod {
  const { metadata, status, ...rest } = podObject({
    name: 'pi-x',
    phase: 'Failed',
    index: 3,
    failureCount: 2,
  });
  const ended = (name: string, second: number): object => ({
    name,
    restartCount: 2,
    state: { terminated: { exitCode: 7, finishedAt: `2026-01-01T00:00:0${second}Z`, message } },
  });
  return {
    ...rest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, 'example.com/note': annotation } },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'main', args: [variable] } as Pod['spec']['containers'][number]],
      initContainers: [
        { name: 'setup', args: [variable] } as Pod['spec']['containers'][number],
        { name: 'sidecar', restartPolicy: 'Always' },
      ],
    },
    status: {
      ...status,
      message,
      containerStatuses: [ended('main', 4)],
      initContainerStatuses: [ended('setup', 1), ended('sidecar', 9)],
    } as NonNullable<Pod['status']>,
  };
}

function aLargeJob({ annotation = '', argument = '', values = 1 }): Job {
  const { metadata, spec, ...rest } = jobObject({ name: 'pi', manualSelector: true });
  const selected = Array.from({ length: values }, (_none, at) => `value-${at}`);
  const main = { name: 'main', args: [argument] };
  return {
    ...rest,
    metadata: { ...metadata, annotations: { 'example.com/note': annotation } },
    spec: {
      ...spec,
      selector: { matchExpressions: [{ key: 'app', operator: 'In', values: selected }] },
      template: { spec: { restartPolicy: 'OnFailure', containers: [main] } },
    },
  };
}

describe('a pod that is too large for a record', () => {
  it.each([
    ['in its spec is recorded without the spec', { variable: long }, { withoutSpec: true }],
    [
      'in its annotations is recorded with cut annotations',
      { annotation: long },
      { withoutSpec: true, cut: true },
    ],
    ['in messages is recorded with cut messages', { message: long }, { withoutSpec: true, cut: true }],
  ])('keeps the fields that decisions need: a pod that is large %s', (_how, large, marks) => {
    const pod = aPod(large);
    const { object, ...marked } = redactPod(pod, redaction) ?? {};
    expect(marked).toEqual(marks);
    expect(JSON.stringify(object).length).toBeLessThan(redaction.maxBytes);
    expect(podFacts(object as Pod)).toEqual(podFacts(pod));
  });

  it('has the text [cut] in place of each long value, and retains its short values', () => {
    const { object } = redactPod(aPod({ annotation: long, message: 'short' }), redaction) ?? {};
    expect(object?.metadata.annotations?.['example.com/note']).toBe('[cut]');
    expect(object?.status).toMatchObject({ message: 'short' });
  });
});

describe('a Job that is too large for a record', () => {
  it.each([
    ['in its template is recorded without the template', { argument: long }, { withoutTemplate: true }],
    [
      'in its annotations is recorded with cut annotations',
      { annotation: long },
      { withoutTemplate: true, cut: true },
    ],
  ])('keeps the fields that decisions need: a Job that is large %s', (_how, large, marks) => {
    const job = aLargeJob(large);
    const { object, ...marked } = redactJob(job, redaction) ?? {};
    expect(marked).toEqual(marks);
    expect(JSON.stringify(object).length).toBeLessThan(redaction.maxBytes);
    expect(jobFacts(object as Job)).toEqual(jobFacts(job));
  });

  it('is not recorded when the fields that decisions need are too large, because a part of them would lead to other decisions', () => {
    expect(redactJob(aLargeJob({ values: 3000 }), redaction)).toBeNull();
  });
});
