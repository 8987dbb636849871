import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { METADATA_ENCODING_KEY } from '@temporalio/common';
import { gzipCodec } from '../../services/adapters/temporal/gzip-codec.ts';
import { carryOutJob } from '../../services/worker/activities/carry-out-kinds.ts';
import { NO_PROGRESS } from '../../services/worker/activities/attempt/progress.ts';
import type { CarryOutInput } from '../../workflows/activities.ts';
import type { Command } from '../../workflows/job/commands.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import { podObject } from '../support/builders.ts';
import { anInput, aPlayedServer, dependenciesOn, type PlayedServer } from './a-played-server.ts';

const why = { rule: 'J-4.11', message: '' } as const;
const POD = { uid: 'uid-of-pi-x', name: 'pi-x' };
const attempt = {
  number: 1,
  signal: new AbortController().signal,
  before: NO_PROGRESS,
  report: () => undefined,
};

function deletePod(pod: { uid?: string; name: string }): Command {
  return { kind: 'DeletePods', untrack: false, pods: [pod as typeof POD], why };
}

async function answerTo(server: PlayedServer, input: CarryOutInput): Promise<Outcome | undefined> {
  const [answered] = await carryOutJob(dependenciesOn(server.client), input, attempt);
  return answered?.data.outcome;
}

/** Anybody with access to Temporal can start an activity. */
describe('an activity input that no decision of Jobledger can cause', () => {
  it.each([
    ['without the UID of a pod', anInput([deletePod({ name: 'pi-x' })]), 'UID'],
    ['with an empty UID', anInput([deletePod({ name: 'pi-x', uid: '' })]), 'UID'],
    ['of another cluster', inCluster('west'), 'is for the cluster "west"'],
    ['decided about another Job', decidedAbout('another'), 'another object'],
    ['for a collection', anInput([deletePod({ ...POD, name: '' })]), 'cannot be the name'],
    ['for the parent of a collection', anInput([deletePod({ ...POD, name: '..' })]), 'cannot be the name'],
    ['for another path', anInput([deletePod({ ...POD, name: '../../secrets/s' })]), 'cannot be the name'],
  ])('is refused before the worker sends a request: %s', async (_what, input, message) => {
    const server = aPlayedServer();
    server.pods.set('pi-x', podObject({ name: 'pi-x' }));
    await expect(answerTo(server, input)).rejects.toThrow(message);
    expect(server.asked).toEqual([]);
  });

  it('is refused when it is a small compressed payload that would fill the memory', async () => {
    const payload = {
      metadata: { [METADATA_ENCODING_KEY]: Buffer.from('binary/gzip') },
      data: gzipSync(Buffer.alloc(65 * 1024 * 1024)),
    };
    expect(payload.data.length).toBeLessThan(100_000);
    await expect(Promise.resolve().then(() => gzipCodec.decode([payload]))).rejects.toThrow(/larger than/);
  });
});

function inCluster(cluster: string): CarryOutInput {
  const input = anInput([deletePod(POD)]);
  return { ...input, job: { ...input.job, cluster } };
}

function decidedAbout(jobUid: string): CarryOutInput {
  const input = anInput([deletePod(POD)]);
  return { ...input, decided: { ...input.decided, data: { ...input.decided.data, jobUid } } };
}
