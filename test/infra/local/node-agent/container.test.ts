import { describe, expect, it } from '@jest/globals';
import { podField, resourceField } from '../../../../infra/local/node-agent/container/downward.ts';
import { declaredEnvironment } from '../../../../infra/local/node-agent/container/environment.ts';
import { expand } from '../../../../infra/local/node-agent/container/expansion.ts';
import { createInvocation } from '../../../../infra/local/node-agent/container/invocation.ts';
import { mentionsMount, substituteMounts } from '../../../../infra/local/node-agent/container/mounts.ts';
import { divideQuantity } from '../../../../infra/local/node-agent/container/downward.ts';
import type { AgentContainer } from '../../../../infra/local/node-agent/pod/pod.ts';
import { aContainer, aPod } from './builders.ts';

const known = (name: string): string | undefined => ({ A: 'a', EMPTY: '' })[name];

describe('the expansion of $(NAME) in a container', () => {
  it.each([
    ['$(A)-$(A)', 'a-a'],
    ['[$(EMPTY)]', '[]'],
    ['$(NOPE)', '$(NOPE)'],
    ['$$(A)', '$(A)'],
    ['$$$(A)', '$a'],
    ['$A ${A} $(', '$A ${A} $('],
  ])('turns %s into the text %s', (text, expected) => {
    expect(expand(text, known)).toBe(expected);
  });
});

describe('the mount paths in a text', () => {
  const mounts = [
    { name: 'work', mountPath: '/scratch', hostPath: '/host/w' },
    { name: 'deep', mountPath: '/scratch/deep/', hostPath: '/host/d' },
  ];

  it.each([
    ['/scratch', '/host/w'],
    ['cat /scratch/a --out=/scratch/b:/scratch/deep/c', 'cat /host/w/a --out=/host/w/b:/host/d/c'],
    ['"/scratch"', '"/host/w"'],
    ['/scratchpad /home/scratch /scratch.d x/scratch', '/scratchpad /home/scratch /scratch.d x/scratch'],
  ])('are replaced by paths of the host: %s becomes %s', (text, expected) => {
    expect(substituteMounts(text, mounts)).toBe(expected);
  });

  it('are found in a container that names the path or its variable', () => {
    const token = { name: 'kube-api-access', mountPath: '/var/run/secrets/x' };
    expect(mentionsMount(aContainer({ command: ['cat', '/var/run/secrets/x/token'] }), token)).toBe(true);
    expect(mentionsMount(aContainer({ args: ['$JOBLEDGER_MOUNT_KUBE_API_ACCESS/token'] }), token)).toBe(true);
    expect(mentionsMount(aContainer({ command: ['true'] }), token)).toBe(false);
  });
});

describe('the quantities in a pod spec', () => {
  it.each([
    ['500m', undefined, '1'],
    ['500m', '1m', '500'],
    ['1.5Gi', '1Mi', '1536'],
    ['64', '0', '64'],
    ['1e3', '1k', '1'],
  ])('are divided by a unit and rounded up: %s in units of %s is %s', (quantity, divisor, expected) => {
    expect(divideQuantity(quantity, divisor)).toBe(expected);
  });
});

describe('the downward API in the node agent', () => {
  const pod = aPod(
    { serviceAccountName: 'robot' },
    { metadata: { labels: { b: 'two', a: 'o"ne' }, annotations: { 'x/y': 'z' } } },
  );

  it.each([
    ['metadata.name', 'pi'],
    ['metadata.uid', 'uid-1'],
    ["metadata.labels['b']", 'two'],
    ["metadata.annotations['x/y']", 'z'],
    ["metadata.labels['none']", ''],
    ['metadata.labels', 'a="o\\"ne"\nb="two"'],
    ['spec.nodeName', 'local'],
    ['spec.serviceAccountName', 'robot'],
    ['status.podIP', '127.0.0.1'],
    ['spec.priority', undefined],
  ])('gives %s the value %s', (path, expected) => {
    expect(podField(pod, path)).toBe(expected);
  });

  it('gives a limit, or the capacity of the node when the container has no limit', () => {
    const container = aContainer({ resources: { limits: { cpu: '250m' } } });
    const node = { cpu: '64', memory: '1Gi' };
    const with1 = aPod({ containers: [container] });
    expect(resourceField(with1, container, { resource: 'limits.cpu', divisor: '1m' }, node)).toBe('250');
    expect(resourceField(with1, container, { resource: 'limits.memory', divisor: '1Mi' }, node)).toBe('1024');
    expect(resourceField(with1, container, { resource: 'requests.memory' }, node)).toBe('0');
  });
});

describe('the start of a container by the node agent', () => {
  const objects = {
    configMap: async (_namespace: string, name: string) =>
      name === 'cm' ? { k: Buffer.from('v') } : undefined,
    secret: async (_namespace: string, name: string) =>
      name === 's' ? { p: Buffer.from('hidden') } : undefined,
  };
  const from = { objects, services: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, node: {} };
  const declared = (fields: Partial<AgentContainer>) => declaredEnvironment(aPod(), aContainer(fields), from);

  it('passes the variables of services, envFrom and env, where later values take precedence', async () => {
    const env = [
      { name: 'k', value: 'own' },
      { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'p' } } },
      { name: 'ALL', value: '$(k) $(S) $(LATER) $(KUBERNETES_SERVICE_HOST)' },
      { name: 'LATER', value: 'l' },
    ];
    expect(
      await declared({
        env,
        envFrom: [{ prefix: 'X_', configMapRef: { name: 'cm' } }, { configMapRef: { name: 'cm' } }],
      }),
    ).toEqual({
      KUBERNETES_SERVICE_HOST: '10.0.0.1',
      X_k: 'v',
      k: 'own',
      S: 'hidden',
      ALL: 'own hidden $(LATER) 10.0.0.1',
      LATER: 'l',
    });
  });

  it('omits variables whose optional reference does not exist', async () => {
    const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'k', optional: true } } }];
    expect(await declared({ env })).toEqual({ KUBERNETES_SERVICE_HOST: '10.0.0.1' });
  });

  it.each([
    ['configmap "none" not found', { name: 'none', key: 'k' }],
    ["couldn't find key x in configMap default/cm", { name: 'cm', key: 'x' }],
  ])('is refused with the error: %s', async (message, configMapKeyRef) => {
    await expect(declared({ env: [{ name: 'A', valueFrom: { configMapKeyRef } }] })).rejects.toThrow(message);
  });

  it('passes only those variables of the agent that every program needs', () => {
    const own = { PATH: '/bin', HOME: '/root', NODE_AGENT_KUBECONFIG: 'x', SECRET: 'y' };
    const mounts = [{ name: 'work-dir', mountPath: '/scratch', hostPath: '/host' }];
    const container = aContainer({
      command: ['$(A)', '/scratch/x'],
      args: ['$(PATH)'],
      workingDir: '/scratch',
    });
    expect(createInvocation(aPod(), container, { declared: { A: 'a', B: '/scratch' }, mounts, own })).toEqual(
      {
        argv: ['a', '/host/x', '$(PATH)'],
        env: {
          PATH: '/bin',
          HOME: '/root',
          HOSTNAME: 'pi',
          JOBLEDGER_MOUNT_WORK_DIR: '/host',
          A: 'a',
          B: '/host',
        },
        cwd: '/host',
      },
    );
  });

  it.each([
    ['registry.k8s.io/pause:3.10', {}, ['tail', '-f', '/dev/null']],
    ['busybox:1.37', {}, ['sh']],
    ['pause', { command: ['/pause'] }, ['/pause']],
    ['example.com/pause-button:1', {}, []],
  ])('uses the command of the pod or of the image: %s with %j gives %j', (image, fields, argv) => {
    const container = aContainer({ image, command: [], ...fields });
    expect(createInvocation(aPod(), container, { declared: {}, mounts: [], own: {} }).argv).toEqual(argv);
  });

  describe('when the host has the files of the image', () => {
    const image = {
      image: 'example.com/app:1',
      entrypoint: ['node', '/trees/app/main.mjs'],
      environment: { NODE_ENV: 'production', A: 'of the image' },
      files: { '/app': '/trees/app' },
    };
    const started = (fields: Partial<AgentContainer>) =>
      createInvocation(aPod(), aContainer({ image: image.image, command: [], ...fields }), {
        declared: { A: 'of the pod' },
        mounts: [{ name: 'data', mountPath: '/app/data', hostPath: '/host' }],
        own: {},
        image,
      });

    it.each([
      [{}, ['node', '/trees/app/main.mjs']],
      [{ args: ['worker', '/app/data/x'] }, ['node', '/trees/app/main.mjs', 'worker', '/host/x']],
      [{ command: ['sh', '/app/run'], args: ['x'] }, ['sh', '/trees/app/run', 'x']],
    ])('uses the command %j with the fields %j', (fields, argv) => {
      expect(started(fields).argv).toEqual(argv);
    });

    it('passes the variables of the image, unless the pod declares other values', () => {
      expect(started({}).env).toMatchObject({ NODE_ENV: 'production', A: 'of the pod' });
    });
  });
});
