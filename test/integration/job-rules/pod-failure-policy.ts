import { describe, expect } from '@jest/globals';
import type { PodFailurePolicyRule } from '../../../workflows/kubernetes/objects.ts';
import { eventually } from '../../support/eventually.ts';
import { onOwnPlayedCluster } from '../../support/played-cluster.ts';
import type { PlayedJob } from '../../support/played-job.ts';
import { sideBySide } from '../../support/side-by-side.ts';

const { cluster, play } = onOwnPlayedCluster();
const story = sideBySide();

const DISRUPTED = { type: 'DisruptionTarget', status: 'True' };
const onCodes = (action: string, values: number[], more = {}): PodFailurePolicyRule => ({
  action,
  onExitCodes: { operator: 'In', values, ...more },
});
const onDisruption = (action: string): PodFailurePolicyRule => ({ action, onPodConditions: [DISRUPTED] });

const underRules = (name: string, rules: PodFailurePolicyRule[], pod = {}, spec = {}): Promise<PlayedJob> =>
  play(name, { podFailurePolicy: { rules }, ...spec }, pod);

/** Both conditions of a Job that fails by its policy. */
function failedBy(message: string): string[] {
  return [`FailureTarget=True PodFailurePolicy: ${message}`, `Failed=True PodFailurePolicy: ${message}`];
}

describe('FailJob', () => {
  const rules = [onDisruption('Ignore'), onCodes('Count', [10]), onCodes('FailJob', [5, 6, 7])];

  story('ends the Job at an exit code, and names container, pod and rule (J-6.12)', async () => {
    const job = await underRules('code', rules);
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.fail(pod, { exitCodes: { main: 6 } });
    await job.shows({ failed: 1 });
    const name = pod?.metadata.name;
    const message = `Container main for pod default/${name} failed with exit code 6 matching FailJob rule at index 2`;
    expect(await job.conditions()).toEqual(failedBy(message));
    await eventually('the Event', 10, async () =>
      (await cluster().eventsOn(job.created)).includes(`PodFailurePolicy: ${message}`) ? true : undefined,
    );
  });

  story('matches negative exit codes, as on Windows (J-1.11)', async () => {
    const job = await underRules('negative', [onCodes('FailJob', [-1073741510, 137])]);
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.fail(pod, { exitCodes: { main: -1073741510 } });
    await job.shows({ failed: 1 });
    expect((await job.conditions())[1]).toContain(
      'failed with exit code -1073741510 matching FailJob rule at index 0',
    );
  });

  story('ends the Job at a condition of the pod (J-6.12)', async () => {
    const job = await underRules('condition', [onDisruption('FailJob')]);
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.fail(pod, { reason: 'Evicted', conditions: [DISRUPTED] });
    await job.shows({ failed: 1 });
    const message = `Pod default/${pod?.metadata.name} has condition DisruptionTarget matching FailJob rule at index 0`;
    expect(await job.conditions()).toEqual(failedBy(message));
  });

  story('looks at init containers too, after the others (J-6.10)', async () => {
    const initContainers = [{ name: 'before', image: 'none' }];
    const job = await underRules('init', rules, { initContainers });
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.fail(pod, { exitCodes: { before: 5, main: 143 } });
    await job.shows({ failed: 1 });
    expect((await job.conditions())[1]).toContain('Container before for pod');
  });

  story(
    'deletes and counts the pods that still run, and fails once they are gone (J-4.5, J-6.39)',
    async () => {
      const job = await underRules('rest', rules, {}, { parallelism: 2, completions: 2 });
      const [failing, running] = await job.some(2);
      if (failing === undefined || running === undefined) throw new Error('two pods were there');
      await job.kubelet.bind(running.metadata.name);
      await job.kubelet.ready(running.metadata.name);
      await job.shows({ active: 2, ready: 1 });
      await job.fail(failing, { exitCodes: { main: 5 } });
      await job.shows({ terminating: 1, failed: 2 });
      const [target] = await job.conditions();
      expect(await job.conditions()).toEqual([target]);
      await job.kubelet.finishDeletion(running.metadata.name);
      await job.shows({ failed: 2 });
      expect(await job.conditions()).toEqual([target, target?.replace('FailureTarget', 'Failed')]);
    },
  );

  story('waits until the whole pod has failed (J-6.10)', async () => {
    const containers = [
      { name: 'main', image: 'none' },
      { name: 'other', image: 'none' },
    ];
    const job = await underRules('partly', rules, { containers });
    const [pod] = await job.some(1);
    const name = pod?.metadata.name ?? '';
    await job.kubelet.ready(name);
    const terminated = {
      exitCode: 5,
      reason: 'Error',
      startedAt: null,
      finishedAt: new Date().toISOString(),
    };
    await job.kubelet.report(name, {
      containerStatuses: [
        { name: 'main', image: 'none', imageID: '', ready: false, restartCount: 0, state: { terminated } },
        { name: 'other', image: 'none', imageID: '', ready: true, restartCount: 0, state: { running: {} } },
      ],
    });
    await job.shows({ active: 1, ready: 1 });
    expect(await job.conditions()).toEqual([]);
    await job.kubelet.fail(name, { exitCodes: { main: 5 } });
    await job.shows({ failed: 1 });
  });
});

describe('Ignore', () => {
  story('replaces the pod and counts nothing (J-6.10)', async () => {
    const job = await underRules('ignored', [onDisruption('Ignore')], {}, { backoffLimit: 0 });
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.fail(pod, { conditions: [DISRUPTED] });
    await eventually('its replacement', 20, async () => {
      const [next] = await job.active();
      return next !== undefined && next.metadata.uid !== pod?.metadata.uid ? next : undefined;
    });
    await job.shows({ active: 1 });
    const [next] = await job.some(1);
    if (next !== undefined) await job.succeed(next);
    await job.shows({ succeeded: 1 });
    expect((await job.conditions()).at(-1)).toMatch(/^Complete=True CompletionsReached/);
  });

  story('takes effect when its rule matches first, whatever the other exit codes (J-6.10)', async () => {
    const containers = [
      { name: 'main', image: 'none' },
      { name: 'other', image: 'none' },
    ];
    const rules = [onCodes('Ignore', [1, 2, 3]), onCodes('FailJob', [5, 6, 7])];
    const job = await underRules('first', rules, { containers });
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.fail(pod, { exitCodes: { main: 6, other: 2 } });
    await eventually('its replacement', 20, async () =>
      (await job.active()).some(({ metadata }) => metadata.uid !== pod?.metadata.uid) ? true : undefined,
    );
    await job.shows({ active: 1 });
    expect(await job.conditions()).toEqual([]);
  });
});

describe('a failure that is counted', () => {
  story('Count, and what no rule matches (J-6.10)', async () => {
    const job = await underRules('counted', [onCodes('Count', [10]), onCodes('FailJob', [5])]);
    const [first] = await job.some(1);
    if (first !== undefined) await job.fail(first, { exitCodes: { main: 10 } });
    await job.shows({ active: 1, failed: 1 });
    const [second] = await job.some(1);
    if (second !== undefined) await job.fail(second, { exitCodes: { main: 99 } });
    await job.shows({ active: 1, failed: 2 });
  });

  story('a code of another container than the one named, or one that NotIn lists (J-6.10)', async () => {
    const containers = [
      { name: 'main', image: 'none' },
      { name: 'other', image: 'none' },
    ];
    const rules = [
      onCodes('FailJob', [5], { containerName: 'main' }),
      { action: 'FailJob', onExitCodes: { containerName: 'other', operator: 'NotIn', values: [5, 7] } },
    ];
    const job = await underRules('elsewhere', rules, { containers });
    const [first] = await job.some(1);
    if (first !== undefined) await job.fail(first, { exitCodes: { other: 5 } });
    await job.shows({ active: 1, failed: 1 });
    const [second] = await job.some(1);
    if (second !== undefined) await job.fail(second, { exitCodes: { other: 6 } });
    await job.shows({ failed: 2 });
    expect((await job.conditions())[1]).toContain('exit code 6 matching FailJob rule at index 1');
  });

  story('reaches the backoffLimit (J-6.1)', async () => {
    const job = await underRules('limited', [onCodes('FailJob', [5])], {}, { backoffLimit: 0 });
    const [pod] = await job.some(1);
    if (pod !== undefined) await job.fail(pod, { exitCodes: { main: 10 } });
    await job.shows({ failed: 1 });
    expect((await job.conditions()).at(-1)).toMatch(/^Failed=True BackoffLimitExceeded/);
  });
});
