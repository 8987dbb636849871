import type { JobMessage } from '../message.ts';
import { shortText, linkToJob, messageText } from './text.ts';

/** An alert of the API v2 of Alertmanager, `POST /api/v2/alerts`. */
export interface Alert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  startsAt: string;
  endsAt: string;
  generatorURL?: string;
}

/**
 * The time for which an alert fires after its delivery, in milliseconds. No message resolves the alert earlier, and
 * Alertmanager would send no notification about an alert that ends before the next `group_interval`.
 */
const FIRING_MS = 3_600_000;

/**
 * The most labels of a Job in an alert, and the most characters of a reason. The labels and reasons are limited because
 * Alertmanager keeps the labels of every alert in memory.
 */
const [MOST_LABELS, LONGEST_LABEL] = [50, 253];

/**
 * The alerts for one message. `page` is the address of the web page for the link to the Job, or null. `now`:
 * milliseconds.
 */
export function alertmanagerBody(message: JobMessage, page: string | null, now: number): Alert[] {
  const { cluster, namespace, name, uid } = message.data;
  const { verb, why } = messageText(message);
  const link = linkToJob(page, message);
  const labels = {
    ...labelsOfJob(message.data.labels),
    ...ownLabels(message),
    cluster,
    namespace,
    job_name: name,
    // The labels identify an alert, so that another Job with the same name has another alert.
    job_uid: uid,
  };
  return [
    {
      labels,
      annotations: {
        summary: `Job ${namespace}/${name} ${verb} in ${cluster}`,
        ...(why !== null && { description: why }),
      },
      startsAt: alertStart(message, now),
      endsAt: new Date(now + FIRING_MS).toISOString(),
      ...(link !== null && { generatorURL: link }),
    },
  ];
}

function ownLabels(message: JobMessage): Record<string, string> {
  switch (message.type) {
    case 'dev.jobledger.job.started.v1':
      return { alertname: 'JobStarted', severity: 'info' };
    case 'dev.jobledger.job.attempt-failed.v1': {
      const { pod, reason } = message.data.attempt;
      return { alertname: 'JobAttemptFailed', severity: 'info', pod, ...reasonLabel(reason) };
    }
    case 'dev.jobledger.job.ended.v1': {
      const { condition, reason } = message.data;
      const severity = condition === 'Failed' ? 'warning' : 'info';
      return { alertname: `Job${condition}`, severity, ...reasonLabel(reason) };
    }
  }
}

function reasonLabel(reason: string | null): { reason?: string } {
  return reason === null || reason === '' ? {} : { reason: shortText(reason, LONGEST_LABEL) };
}

/**
 * The labels of a Job with the names that kube-state-metrics gives them: `app.kubernetes.io/name` becomes
 * `label_app_kubernetes_io_name`.
 */
function labelsOfJob(labels: Readonly<Record<string, string>>): Record<string, string> {
  const given = Object.entries(labels)
    .filter(([, value]) => value !== '')
    .slice(0, MOST_LABELS);
  return Object.fromEntries(
    given.map(([key, value]) => [`label_${key.replaceAll(/[^a-zA-Z0-9_]/g, '_')}`, value]),
  );
}

/**
 * The start of an alert, which is at most `now`. Alertmanager refuses an alert that starts after its end, and a
 * controller can write any instant into a status.
 */
function alertStart(message: JobMessage, now: number): string {
  const at = Date.parse(messageTime(message));
  return at <= now ? messageTime(message) : new Date(now).toISOString();
}

function messageTime(message: JobMessage): string {
  switch (message.type) {
    case 'dev.jobledger.job.started.v1':
      return message.data.startedAt ?? message.time;
    case 'dev.jobledger.job.attempt-failed.v1':
      return message.data.attempt.finishedAt ?? message.time;
    case 'dev.jobledger.job.ended.v1':
      return message.data.finishedAt ?? message.time;
  }
}
