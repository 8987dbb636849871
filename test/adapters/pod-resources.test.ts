import { describe, expect, it } from '@jest/globals';
import { podResources, type SpecWithResources } from '../../services/adapters/kubernetes/pod-resources.ts';

const asking = (cpu: string, more: object = {}) => ({ resources: { requests: { cpu } }, ...more });
const sidecar = (cpu: string) => asking(cpu, { restartPolicy: 'Always' });

/** What the scheduler counts for these specs, by the rules of k8s.io/component-helpers/resource. */
describe('the CPU that a pod requests', () => {
  it.each<[string, SpecWithResources, number]>([
    ['is the sum of its containers', { containers: [asking('1'), asking('500m')] }, 1.5],
    [
      'is the CPU of the largest init container where that is more',
      { containers: [asking('1')], initContainers: [asking('3'), asking('2')] },
      3,
    ],
    ['counts sidecars with the containers', { containers: [asking('1')], initContainers: [sidecar('2')] }, 3],
    [
      'counts an init container beside the sidecars that were started before it',
      { containers: [asking('1')], initContainers: [sidecar('2'), asking('3')] },
      5,
    ],
    [
      'counts an init container without the sidecars that are started after it',
      { containers: [asking('1')], initContainers: [asking('4'), sidecar('2')] },
      4,
    ],
    [
      'is that of the whole pod where the pod has one',
      { containers: [asking('1')], initContainers: [asking('9')], resources: { requests: { cpu: '4' } } },
      4,
    ],
    [
      'has the overhead of the RuntimeClass on top',
      { containers: [asking('1')], overhead: { cpu: '250m' } },
      1.25,
    ],
    [
      'is the limit of a container without a request',
      { containers: [{ resources: { limits: { cpu: '2' } } }] },
      2,
    ],
  ])('is the sum that Kubernetes computes: it %s', (_rule, spec, cpu) => {
    expect(podResources(spec).requests['cpu']).toBe(cpu);
  });
});

describe('the resources of a pod', () => {
  it('are summed in a time that does not grow with the square of the number of resource names', () => {
    const initContainers = Array.from({ length: 20_000 }, (_, at) => ({
      resources: { requests: { [`example.com/r${at}`]: '1' } },
      restartPolicy: 'Always',
    }));
    const { requests } = podResources({ containers: [{}], initContainers });
    expect(Object.keys(requests)).toHaveLength(20_000);
  });

  it('are empty for invalid quantities', () => {
    expect(podResources({ containers: [asking('a lot')] })).toEqual({ requests: { cpu: 0 }, limits: {} });
  });
});
