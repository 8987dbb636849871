import type {
  AgentContainer,
  AgentContainerStatus,
  AgentPod,
} from '../../../../infra/local/node-agent/pod/pod.ts';
import type {
  ContainerAttempt,
  ContainerEnd,
  PodRecord,
} from '../../../../infra/local/node-agent/pod/pod-record.ts';

export const NOW = Date.parse('2026-05-04T12:00:00.000Z');

export function aPod(
  spec: Partial<AgentPod['spec']> = {},
  rest: { metadata?: Partial<AgentPod['metadata']>; status?: AgentPod['status'] } = {},
): AgentPod {
  return {
    metadata: {
      name: 'pi',
      namespace: 'default',
      uid: 'uid-1',
      resourceVersion: '1',
      generation: 1,
      ...rest.metadata,
    },
    spec: { restartPolicy: 'Never', containers: [aContainer()], nodeName: 'local', ...spec },
    status: rest.status ?? { phase: 'Pending' },
  };
}

export function aContainer(fields: Partial<AgentContainer> = {}): AgentContainer {
  return { name: 'main', image: 'perl', command: ['true'], ...fields };
}

export function aSidecar(name: string): AgentContainer {
  return aContainer({ name, restartPolicy: 'Always' });
}

export function aRecord(attempts: PodRecord['attempts'] = {}, rest: Partial<PodRecord> = {}): PodRecord {
  return { startTime: NOW, attempts, waiting: {}, ...rest };
}

export function running(fields: Partial<ContainerAttempt> = {}): ContainerAttempt {
  return { id: 'process://uid-1-main-0', number: 0, startedAt: NOW, ...fields };
}

export function ended(
  exitCode: number,
  fields: Partial<ContainerAttempt> = {},
  end: Partial<ContainerEnd> = {},
): ContainerAttempt {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return running({ ...fields, end: { exitCode, reason, startedAt: NOW, finishedAt: NOW, ...end } });
}

export function aRunningStatus(fields: Partial<AgentContainerStatus> = {}): AgentContainerStatus {
  return {
    name: 'main',
    state: { running: { startedAt: '2026-05-04T12:00:00Z' } },
    lastState: {},
    ready: true,
    restartCount: 0,
    image: 'perl',
    imageID: '',
    ...fields,
  };
}
