import type { Meters } from '../meters/read-meters.ts';
import { countFigures, cpuFigures, requestFigures } from './round-figures.ts';

describe('the figures of a benchmark round with ten Jobs', () => {
  it('contain the total of requests, and the requests by verb and resource', () => {
    expect(requestFigures({ 'create pods': 10, 'get jobs': 5 }, 10)).toEqual({
      'API writes a Job': 1,
      'API reads a Job': 0.5,
      'API requests a Job: create pods': 1,
      'API requests a Job: get jobs': 0.5,
    });
  });

  it('contain the CPU of each process, and the CPU that other programs used', () => {
    const meters = (at: number, busy: number, worker: number, api: number): Meters => ({
      at,
      busy,
      side: { worker, kafka: 1 },
      plane: { 'kube-apiserver': api },
      counters: {},
      auditSize: 0,
      processes: '',
    });
    expect(cpuFigures(meters(0, 100, 2, 3), meters(10_000, 109, 5, 4), 10)).toEqual({
      'controller CPU a Job (ms)': 300,
      'controller CPU a Job (ms): worker': 300,
      'controller CPU a Job (ms): kafka': 0,
      'control plane CPU a Job (ms): kube-apiserver': 100,
      'other work on the machine (cores)': 0.5,
    });
  });

  it('contain the total of Kafka requests, and the requests by service and API', () => {
    const counts = {
      'ledger records': 140,
      'Kafka requests: worker Produce': 20,
      'Kafka requests: api Fetch': 5,
    };
    expect(countFigures(counts, 10)).toEqual({
      'ledger records a Job': 14,
      'Kafka requests a Job': 2.5,
      'Kafka requests a Job: worker Produce': 2,
      'Kafka requests a Job: api Fetch': 0.5,
    });
  });

  it('contain no counts when no requests were measured', () => expect(countFigures({}, 10)).toEqual({}));
});
