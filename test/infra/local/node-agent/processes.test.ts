import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentContainer, AgentPod, Terminated } from '../../../../infra/local/node-agent/pod/pod.ts';
import { readNumber } from '../../../../infra/local/node-agent/process/attempt-directory.ts';
import { isWrapper } from '../../../../infra/local/node-agent/process/process-table.ts';
import { aFakeApi, aNode, aStateDirectory, clear, eventually, type ANode, type FakeApi } from './a-node.ts';
import { aContainer, aPod } from './builders.ts';

let api: FakeApi;
let node: ANode;
let state: ReturnType<typeof aStateDirectory>;

beforeEach(() => {
  state = aStateDirectory();
  api = aFakeApi();
  node = aNode(state.directory, api);
});

afterEach(async () => {
  await clear(node);
  state.remove();
});

const sh = (script: string, fields: Partial<AgentContainer> = {}) =>
  aContainer({ command: ['sh', '-c', script], ...fields });
const run = (spec: Partial<AgentPod['spec']>, metadata: Partial<AgentPod['metadata']> = {}) =>
  api.put(aPod(spec, { metadata }), node.pods);
const isOver = (pod: AgentPod) => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
const isAttemptRunning = (pod: AgentPod) => pod.status?.containerStatuses?.[0]?.state.running !== undefined;
const terminatedState = (pod: AgentPod): Terminated | undefined =>
  pod.status?.containerStatuses?.[0]?.state.terminated;
const readLog = (name: string, number = 0) =>
  readFileSync(node.memory.attempt('uid-1', name, number).log, 'utf8');
const deletion = (seconds: number) => ({
  deletionTimestamp: '2026-05-04T12:00:00Z',
  deletionGracePeriodSeconds: seconds,
});
const remove = (seconds: number) => {
  const pod = api.get('pi') ?? aPod();
  api.put({ ...pod, metadata: { ...pod.metadata, ...deletion(seconds) } }, node.pods);
};
const logFile = () => node.memory.attempt('uid-1', 'main', 0).log;
const untilLogged = (text: string): Promise<void> =>
  eventually(() => existsSync(logFile()) && readLog('main').includes(text));

const restart = (): void => {
  node.crash();
  node = aNode(state.directory, api);
  const pod = api.get('pi');
  if (pod !== undefined) node.pods.listed([pod]);
};

describe('a pod that the node agent runs to its end', () => {
  it('succeeds after it was Running', async () => {
    run({ containers: [sh('echo 3.14')] });
    expect(terminatedState(await api.until('pi', isOver))).toMatchObject({
      exitCode: 0,
      reason: 'Completed',
    });
    expect(api.phases('pi').at(-1)).toBe('Succeeded');
    expect(readLog('main')).toBe('3.14\n');
  });

  it.each([
    ['exit 7', 7],
    ['kill -TERM $PPID; kill -KILL $(cat $JOBLEDGER_MOUNT_NOTES/../../containers/main/0/main)', 137],
    ['kill -TERM 0; exit 1', 143],
  ])('fails with the exit code of its script: "%s" (%i)', async (script, exitCode) => {
    run({
      volumes: [{ name: 'notes', emptyDir: {} }],
      containers: [sh(script, { volumeMounts: [{ name: 'notes', mountPath: '/notes' }] })],
    });
    expect(terminatedState(await api.until('pi', isOver))).toMatchObject({ exitCode, reason: 'Error' });
  });

  it('shows the text of /dev/termination-log as the message in its status', async () => {
    run({ containers: [sh('echo -n because > /dev/termination-log; exit 1')] });
    expect(terminatedState(await api.until('pi', isOver))?.message).toBe('because');
  });

  it('leaves no background process of its script behind', async () => {
    run({ containers: [sh('sleep 1000 & echo $!')] });
    await api.until('pi', isOver);
    const left = Number(readLog('main'));
    expect(left).toBeGreaterThan(1);
    await eventually(() => !isWrapper(left, 'sleep'));
  });
});

describe('a command that the host does not have', () => {
  it.each([
    [['no-such-command'], 'exec: "no-such-command": executable file not found in $PATH'],
    [['/no/such/command'], 'exec: "/no/such/command": no such file or directory'],
    [[], 'no command specified'],
  ])('fails the pod with StartError and exit code 128: %j', async (command, message) => {
    run({ containers: [aContainer({ command })] });
    const end = terminatedState(await api.until('pi', isOver));
    expect(end).toMatchObject({ exitCode: 128, reason: 'StartError' });
    expect(end?.message).toContain(message);
    expect(end?.message).toContain('this node has no images');
  });
});

describe('the environment of a running container', () => {
  it('has the variables that the pod declares, and no variables of the agent', async () => {
    const env = [
      { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } },
    ];
    run({ containers: [sh('echo $(POD) $COLOUR $HOSTNAME [$AGENT_SECRET]', { env })] });
    await api.until('pi', isOver);
    expect(readLog('main')).toBe('pi blue pi []\n');
  });

  it('has the volumes of the pod, with the files that an init container wrote', async () => {
    const volumeMounts = [{ name: 'work', mountPath: '/scratch' }];
    run({
      volumes: [
        { name: 'work', emptyDir: {} },
        { name: 'settings', configMap: { name: 'settings' } },
      ],
      initContainers: [sh('echo kept > /scratch/file', { name: 'init', volumeMounts })],
      containers: [
        sh('pwd; cat file /etc/settings/colour', {
          workingDir: '/scratch',
          volumeMounts: [...volumeMounts, { name: 'settings', mountPath: '/etc/settings' }],
        }),
      ],
    });
    await api.until('pi', isOver);
    expect(readLog('main')).toBe(
      `${path.join(node.memory.podDirectory('uid-1'), 'volumes/work')}\nkept\nblue`,
    );
  });

  it('is not complete while a ConfigMap is missing, so that the container waits with CreateContainerConfigError', async () => {
    run({ containers: [sh('true', { envFrom: [{ configMapRef: { name: 'none' } }] })] });
    const pod = await api.until('pi', (one) => one.status?.containerStatuses !== undefined);
    expect(pod.status).toMatchObject({
      phase: 'Pending',
      containerStatuses: [
        {
          state: { waiting: { reason: 'CreateContainerConfigError', message: 'configmap "none" not found' } },
        },
      ],
    });
  });
});

describe('the restartPolicy OnFailure', () => {
  it('repeats the container until it succeeds, and counts the restarts', async () => {
    const volumes = [{ name: 'work', emptyDir: {} }];
    const script = 'echo x >> /scratch/tries; [ $(wc -l < /scratch/tries) -ge 3 ]';
    run({
      restartPolicy: 'OnFailure',
      volumes,
      containers: [sh(script, { volumeMounts: [{ name: 'work', mountPath: '/scratch' }] })],
    });
    const pod = await api.until('pi', isOver);
    expect(pod.status).toMatchObject({
      phase: 'Succeeded',
      containerStatuses: [{ restartCount: 2, lastState: { terminated: { exitCode: 1 } } }],
    });
  });
});

describe('a pod that is deleted while it runs', () => {
  it('receives SIGTERM, and is removed from the API only after its end is reported', async () => {
    run({ containers: [sh('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.01; done')] });
    await untilLogged('up');
    remove(30);
    await api.untilDeleted('pi');
    expect(api.phases('pi').at(-1)).toBe('Succeeded');
    expect(readLog('main')).toBe('up\nbye\n');
  });

  it('receives SIGKILL after its grace period', async () => {
    run({ containers: [sh('trap "" TERM; echo up; while :; do sleep 0.01; done')] });
    await untilLogged('up');
    const since = Date.now();
    remove(1);
    await api.untilDeleted('pi');
    expect(Date.now() - since).toBeGreaterThanOrEqual(1000);
    expect(api.phases('pi').at(-1)).toBe('Failed');
  });

  it('leaves no files on the disk after it was removed from the API', async () => {
    run({ containers: [sh('sleep 1000')] });
    await api.until('pi', isAttemptRunning);
    remove(30);
    await api.untilDeleted('pi');
    node.pods.listed([]);
    await eventually(() => node.memory.uids().length === 0);
    expect(node.pods.find('default', 'pi')).toBeUndefined();
  });
});

describe('a pod with activeDeadlineSeconds', () => {
  it('fails with DeadlineExceeded when these seconds have passed', async () => {
    run({ activeDeadlineSeconds: 1, containers: [aContainer({ command: ['sleep', '1000'] })] });
    const pod = await api.until('pi', isOver);
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    expect(terminatedState(pod)?.exitCode).toBe(143);
  });
});

describe('after kill -9 of the node agent', () => {
  it('a running container continues and ends with its own exit code', async () => {
    run({
      volumes: [{ name: 'work', emptyDir: {} }],
      containers: [
        sh('while [ ! -e /scratch/go ]; do sleep 0.01; done; exit 9', {
          volumeMounts: [{ name: 'work', mountPath: '/scratch' }],
        }),
      ],
    });
    const before = await api.until('pi', isAttemptRunning);
    const { pid } = node.memory.attempt('uid-1', 'main', 0);
    await eventually(() => readNumber(pid) !== undefined);
    const wrapper = readNumber(pid);
    restart();
    expect(readNumber(pid)).toBe(wrapper);
    expect(before.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    writeFileSync(path.join(node.memory.podDirectory('uid-1'), 'volumes/work/go'), '');
    expect(terminatedState(await api.until('pi', isOver))).toMatchObject({ exitCode: 9, reason: 'Error' });
  });

  it('a container whose process was killed while no agent ran ends with the reason ContainerStatusUnknown', async () => {
    run({ containers: [aContainer({ command: ['sleep', '1000'] })] });
    await api.until('pi', isAttemptRunning);
    const files = node.memory.attempt('uid-1', 'main', 0);
    await eventually(() => readNumber(files.pid) !== undefined);
    node.crash();
    process.kill(-(readNumber(files.pid) ?? NaN), 'SIGKILL');
    await eventually(() => node.containers.living().length === 0);
    // The agent that noticed is dead as well: what it recorded is removed.
    rmSync(files.end);
    restart();
    expect(terminatedState(await api.until('pi', isOver))).toMatchObject({
      exitCode: 137,
      reason: 'ContainerStatusUnknown',
    });
  });

  it('the processes of a pod that was deleted while no agent ran are killed', async () => {
    run({ containers: [aContainer({ command: ['sleep', '1000'] })] });
    await api.until('pi', isAttemptRunning);
    const { containers } = node;
    await eventually(() => readNumber(node.memory.attempt('uid-1', 'main', 0).pid) !== undefined);
    node.crash();
    node = aNode(state.directory, api);
    node.pods.listed([]);
    await eventually(() => containers.living().length === 0);
    expect(node.pods.find('default', 'pi')).toBeUndefined();
  });
});
