import { describe, expect, it } from '@jest/globals';
import { jobSeries } from '../../services/projector/projections/series.ts';
import { aJob } from './builders.ts';

function seriesNamed(name: string, more: object = {}): string {
  const job = aJob({ version: 1 });
  return jobSeries({ ...job, metadata: { ...job.metadata, name, ...more } });
}

describe('the series of a Job', () => {
  it.each([
    ['report', 'report'],
    ['report-2026-11-27', 'report'],
    ['report-20261127', 'report'],
    ['report-20261127-0300', 'report'],
    ['report-20261127t030000z', 'report'],
    ['report-2026-11-27-03-00', 'report'],
    ['train.v2-1764212345', 'train.v2'],
    ['build-5f3a9c01', 'build'],
    ['2026-11-27', '2026-11-27'],
    ['etl-step-2', 'etl-step-2'],
    ['deadbeef-cafe', 'deadbeef-cafe'],
    ['top-facade', 'top-facade'],
  ])('is derived from the name %s as %s', (name, series) => {
    expect(seriesNamed(name)).toBe(series);
  });

  it('is derived from generateName when the name was generated', () => {
    expect(seriesNamed('train-x7k2p', { generateName: 'train-' })).toBe('train');
    expect(seriesNamed('train-2026-11-27-x7k2p', { generateName: 'train-2026-11-27-' })).toBe('train');
  });

  it('is the name of the controller of the Job, such as a CronJob', () => {
    const ownerReferences = [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'u', controller: true },
    ];
    expect(seriesNamed('nightly-29401020', { ownerReferences })).toBe('nightly');
  });

  it('is found in a time that is linear in the length of the name', () => {
    expect(seriesNamed(`${'-1234'.repeat(50_000)}-x`)).toMatch(/-x$/);
  });
});
