import { describe, expect, it } from '@jest/globals';
import { stubApi } from '../support/stub-api.ts';

describe('a user request with dry_run', () => {
  it('is checked like a request without dry_run, and is not recorded', async () => {
    const recorded: string[] = [];
    const server = await stubApi({
      ask: (job, request) => Promise.resolve(void recorded.push(`${request} ${job.name}`)),
    });
    const headers = { authorization: 'Bearer robot-token' };
    const statusOf = async (path: string): Promise<number> =>
      (await server.inject({ method: 'POST', url: `/v1/jobs/${path}`, headers })).statusCode;
    expect(await statusOf('pi/suspend?dry_run=true')).toBe(202);
    expect(await statusOf('none/suspend?dry_run=true')).toBe(404);
    expect(recorded).toEqual([]);
    expect(await statusOf('pi/suspend')).toBe(202);
    expect(recorded).toEqual(['suspend pi']);
    await server.close();
  });
});
