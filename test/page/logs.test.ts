import { describe, expect, it } from '@jest/globals';
import { kubectlLogs, logLink, podsWithLogs } from '../../page/job/logs/logs.ts';
import { after, aKilledPod, aListedJob, aPod, START } from './a-job.ts';

const JOB = aListedJob({ cluster: 'east', namespace: 'team-a', name: 'report' });
const POD = aKilledPod('report-0', 0);

describe('a link to logs on the page', () => {
  it('contains the cluster, namespace, Job, name and times of the pod', () => {
    const template = 'https://logs.example/{cluster}/{namespace}?pod={pod}&job={job}&from={from_ms}&to={to}';
    expect(logLink(template, JOB, POD)).toBe(
      `https://logs.example/east/team-a?pod=report-0&job=report&from=${START + 1000}&to=${encodeURIComponent(after(10))}`,
    );
  });

  it('contains encoded values, so that no value adds a field or leaves the path', () => {
    const hostile = { ...POD, name: '../x?a=b&c="<script>' };
    expect(logLink('https://logs.example/p/{pod}?x=1', JOB, hostile)).toBe(
      'https://logs.example/p/..%2Fx%3Fa%3Db%26c%3D%22%3Cscript%3E?x=1',
    );
  });

  it.each([
    'javascript:alert({pod})',
    'ftp://logs.example/{pod}',
    '{pod}',
    'data:text/html,{pod}',
    'https://',
  ])('is absent for the template %s', (template) => {
    expect(logLink(template, JOB, POD)).toBeNull();
  });
});

describe('the kubectl command for a log on the page', () => {
  it('names the pod', () => {
    expect(kubectlLogs(JOB, POD)).toBe('kubectl logs --namespace team-a report-0');
  });

  it('names the cluster in which a pod of a spread Job runs, as the link does', () => {
    const pod = { ...POD, member: { cluster: 'west', uid: 'u', name: 'report-m2' } };
    expect(kubectlLogs(JOB, pod)).toBe('kubectl logs --context west --namespace team-a report-0');
    expect(logLink('https://logs.example/{cluster}/{namespace}/{job}', JOB, pod)).toBe(
      'https://logs.example/west/team-a/report-m2',
    );
  });

  it('requests the log from before the restart when a container of the pod has restarted', () => {
    expect(kubectlLogs(JOB, aPod('x', { restarts: 2 }))).toBe('kubectl logs --namespace team-a x --previous');
  });
});

describe('the pods with logs on the page', () => {
  it('are sorted: failed pods before other pods, and later failures before earlier failures', () => {
    const done = aPod('done', { phase: 'Succeeded', exit_code: 0, finished_at: after(90) });
    const pods = [done, aKilledPod('old', 0, 10), aPod('running'), aKilledPod('new', 0, 60)];
    expect(podsWithLogs(pods).map(({ name }) => name)).toEqual(['new', 'old', 'done', 'running']);
  });
});
