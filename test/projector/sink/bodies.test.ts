import { describe, expect, it } from '@jest/globals';
import { parsePageAddress } from '../../../page/address/page-address.ts';
import { alertmanagerBody } from '../../../services/projector/sink/bodies/alertmanager.ts';
import { formatBody } from '../../../services/projector/sink/bodies/body.ts';
import { slackBody } from '../../../services/projector/sink/bodies/slack.ts';
import { attemptFailed, completed, failed, started } from './messages.ts';

const PAGE = 'https://jobs.example.com/ui/';
const NOW = Date.parse('2026-04-01T00:10:00Z');

describe('a CloudEvent that the sink delivers', () => {
  it.each([
    [started(), 'dev.jobledger.job.started.v1', 'east/1234/started'],
    [attemptFailed(), 'dev.jobledger.job.attempt-failed.v1', 'east/1234/pod-uid/failed'],
    [completed(), 'dev.jobledger.job.ended.v1', 'east/1234/ended'],
  ])('has the type of its message and an id of its own (%#)', (message, type, id) => {
    const { contentType, text } = formatBody(message, { kind: 'cloudevent', page: PAGE, now: NOW });
    expect(contentType).toBe('application/cloudevents+json; charset=utf-8');
    expect(JSON.parse(text)).toMatchObject({ specversion: '1.0', type, id, source: 'jobledger/east' });
  });

  it('has exactly the published fields when a Job has ended, with the labels of the Job', () => {
    expect(failed().data).toEqual({
      cluster: 'east',
      namespace: 'shop',
      name: 'report',
      uid: '1234',
      condition: 'Failed',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
      startedAt: '2026-04-01T00:00:01.000Z',
      finishedAt: '2026-04-01T00:00:08.000Z',
      succeeded: 0,
      failed: 7,
      labels: { team: 'payments', 'app.kubernetes.io/name': 'report' },
      event: 'east/jobs/1234/9',
    });
  });
});

describe('a message in Slack', () => {
  it.each([
    [started(), ':arrow_forward: *shop/report* started (east)'],
    [completed(), ':white_check_mark: *shop/report* completed (east)\nCompletionsReached'],
    [
      failed(),
      ':x: *shop/report* failed (east)\nBackoffLimitExceeded: Job has reached the specified backoff limit',
    ],
    [
      attemptFailed(),
      ':warning: *shop/report* had a failed attempt (east)\nreport-x2x (index 3): exit code 137 (OOMKilled)',
    ],
    [
      attemptFailed({ cluster: 'west' }),
      ':warning: *shop/report* had a failed attempt (east)\nreport-x2x (index 3) in west: exit code 137 (OOMKilled)',
    ],
  ])('states what happened, and why (%#)', (message, text) => {
    expect(slackBody(message, null)).toEqual({ text });
  });

  it('links to the Job on the page', () => {
    const { text } = slackBody(started(), PAGE);
    const [, link = ''] = /<([^|]*)\|\*shop\/report\*>/.exec(text) ?? [];
    const url = new URL(link.replaceAll('&amp;', '&'));
    expect(`${url.origin}${url.pathname}`).toBe(PAGE);
    expect(parsePageAddress(url.search)).toMatchObject({
      view: 'job',
      job: { cluster: 'east', namespace: 'shop', name: 'report', uid: '1234' },
    });
  });

  it('turns no text of a Job into a mention or a link, and is not longer than Slack shows', () => {
    const message = `<!channel> & <https://evil.example|here> ${'a'.repeat(50_000)}`;
    const { text } = slackBody(failed({ message }), null);
    expect(text).toContain('&lt;!channel&gt; &amp; &lt;https://evil.example|here&gt;');
    expect(text).not.toMatch(/[<>]/);
    expect(text.length).toBeLessThan(4000);
  });
});

describe('an alert for Alertmanager', () => {
  it('has the labels, the reason and a link of a failed Job', () => {
    expect(alertmanagerBody(failed(), PAGE, NOW)).toEqual([
      {
        labels: {
          alertname: 'JobFailed',
          severity: 'warning',
          cluster: 'east',
          namespace: 'shop',
          job_name: 'report',
          job_uid: '1234',
          reason: 'BackoffLimitExceeded',
          label_team: 'payments',
          label_app_kubernetes_io_name: 'report',
        },
        annotations: {
          summary: 'Job shop/report failed in east',
          description: 'BackoffLimitExceeded: Job has reached the specified backoff limit',
        },
        startsAt: '2026-04-01T00:00:08.000Z',
        endsAt: '2026-04-01T01:10:00.000Z',
        generatorURL: `${PAGE}?cluster=east&namespace=shop&job=report&uid=1234`,
      },
    ]);
  });

  it.each([
    [started(), { alertname: 'JobStarted', severity: 'info' }, '2026-04-01T00:00:01.000Z'],
    [completed(), { alertname: 'JobComplete', severity: 'info' }, '2026-04-01T00:00:08.000Z'],
    [
      attemptFailed(),
      { alertname: 'JobAttemptFailed', severity: 'info', pod: 'report-x2x', reason: 'OOMKilled' },
      '2026-04-01T00:00:05.000Z',
    ],
  ])('has a name and a severity, and starts at the time of its event (%#)', (message, labels, startsAt) => {
    const [alert] = alertmanagerBody(message, null, NOW);
    expect(alert?.labels).toMatchObject(labels);
    expect(alert).toMatchObject({ startsAt });
    expect(alert).not.toHaveProperty('generatorURL');
  });

  it('has the labels of the Job under other names than its own labels, and no label without a value', () => {
    const labels = { alertname: 'forged', cluster: 'forged', empty: '' };
    const [alert] = alertmanagerBody(failed({ labels }), null, NOW);
    expect(alert?.labels).toMatchObject({ alertname: 'JobFailed', cluster: 'east', label_cluster: 'forged' });
    expect(alert?.labels).not.toHaveProperty('label_empty');
  });

  it('has at most 50 labels of the Job, short values and no start in the future, whatever the Job contains', () => {
    const labels = Object.fromEntries(Array.from({ length: 500 }, (_none, at) => [`label-${at}`, 'x']));
    const [far] = alertmanagerBody(started({ startedAt: '9999-12-31T23:59:59.000Z' }), null, NOW);
    expect(far?.startsAt).toBe(new Date(NOW).toISOString());
    const [alert] = alertmanagerBody(failed({ labels, reason: 'r'.repeat(5000) }), null, NOW);
    expect(Object.keys(alert?.labels ?? {}).filter((name) => name.startsWith('label_'))).toHaveLength(50);
    expect(alert?.labels['reason']).toBe(`${'r'.repeat(253)}…`);
  });
});
