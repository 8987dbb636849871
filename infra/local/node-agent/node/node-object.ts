import os from 'node:os';

/** The fields of a Node that the agent reads or writes. */
export interface NodeObject {
  metadata: { name: string; uid?: string; resourceVersion?: string };
  spec?: { taints?: { key: string; effect: string; value?: string }[] };
  status?: { conditions?: { type: string; status: string; lastTransitionTime?: string }[] };
}

/** The node's capacity, which is large because no limit is enforced and the pods of a laptop should always fit. */
export const ALLOCATABLE: Record<string, string> = {
  cpu: '64',
  memory: '256Gi',
  'ephemeral-storage': '1Ti',
  pods: '500',
};

export const NOT_READY_TAINT = 'node.kubernetes.io/not-ready';

const ARCHITECTURES: Record<string, string> = { x64: 'amd64', ia32: '386' };

/** The Node object to create. */
export function nodeObject(name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': process.platform,
        'kubernetes.io/arch': architecture(),
        'jobledger.dev/isolation': 'none',
      },
      annotations: {
        'jobledger.dev/isolation':
          'none: containers are plain processes of the host, for laptops and tests only',
      },
    },
  };
}

/**
 * The Node's status. `kubernetes` is the API server's version, such as v1.36.3, which is the node's too. `held` is the
 * Node in the API, from which an unchanged condition keeps its transition time.
 */
export function nodeStatus(
  at: { name: string; address: string; port?: number; kubernetes: string },
  held: NodeObject,
  now: string,
): object {
  const nodeCondition = (type: string, status: string, reason: string, message: string): object => {
    const before = held.status?.conditions?.find((one) => one.type === type);
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? now) : now;
    return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime };
  };
  return {
    capacity: ALLOCATABLE,
    allocatable: ALLOCATABLE,
    addresses: [
      { type: 'InternalIP', address: at.address },
      { type: 'Hostname', address: at.name },
    ],
    ...(at.port === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: at.port } } }),
    conditions: [
      nodeCondition('MemoryPressure', 'False', 'NotMeasured', 'the node agent does not measure memory'),
      nodeCondition('DiskPressure', 'False', 'NotMeasured', 'the node agent does not measure disks'),
      nodeCondition('PIDPressure', 'False', 'NotMeasured', 'the node agent does not count processes'),
      nodeCondition(
        'Ready',
        'True',
        'KubeletReady',
        'the node agent runs containers as plain processes, without isolation',
      ),
    ],
    nodeInfo: nodeInfo(at.kubernetes),
  };
}

function nodeInfo(kubernetes: string): object {
  return {
    machineID: '',
    systemUUID: '',
    bootID: '',
    kernelVersion: os.release(),
    osImage: os.version(),
    containerRuntimeVersion: `process://${process.versions.node}`,
    kubeletVersion: `${kubernetes}+jobledger-node-agent`,
    kubeProxyVersion: '',
    operatingSystem: process.platform,
    architecture: architecture(),
  };
}

function architecture(): string {
  return ARCHITECTURES[process.arch] ?? process.arch;
}
