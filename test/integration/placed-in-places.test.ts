import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reservePorts } from '../../infra/local/state/ports.ts';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import type { Place } from '../../services/adapters/places.ts';
import { tokenLine } from '../../services/api/access/tokens.ts';
import { claimantSeen } from '../projector/member-stream.ts';
import { aPlacedJobStream, member } from '../projector/placed-job-stream.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { apiClient, type ApiClient } from '../support/api-client.ts';

// The placed Job default/pi of the home east runs in west. The recorded choice also names the cluster finance, with its price.

const CHOICE = 'west is the best of the clusters that can take the Job';
const WORDS = `${CHOICE}; not finance: cordoned by bob, 0.9 an hour, room for 3 pods; north: no room`;
const TOKENS: Record<string, Place[] | undefined> = {
  everything: undefined,
  'the namespace in every cluster': [{ cluster: '*', namespace: 'default' }],
  'the namespace in both clusters': [
    { cluster: 'east', namespace: 'default' },
    { cluster: 'west', namespace: 'default' },
  ],
  'the namespace at home': [{ cluster: 'east', namespace: 'default' }],
  'the cluster of the member': [{ cluster: 'west', namespace: '*' }],
  'the namespace of the member': [{ cluster: 'west', namespace: 'default' }],
  'another namespace': [{ cluster: '*', namespace: 'team' }],
};

let ledger: ALedger;
let createClient: (token: string) => ApiClient;

beforeAll(async () => {
  ledger = await startLedger();
  const home = aPlacedJobStream(WORDS);
  home.answers(2, { kind: 'CreateMember', result: 'created', member });
  const seen = claimantSeen(3, { name: 'pi', uid: member.uid, status: { active: 2 } });
  await ledger.append([...home.events, seen].map((event) => encodeEvent(event)));
  await ledger.start('projector');
  await ledger.applied();
  const [kubeconfig, tokens] = [join(ledger.stateDir, 'kubeconfig'), join(ledger.stateDir, 'tokens')];
  const cluster = { name: 'none', cluster: { server: 'http://127.0.0.1:1' } };
  const context = { name: 'none', context: { cluster: 'none', user: 'none' } };
  const user = { name: 'none', user: {} };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'none',
      clusters: [cluster],
      users: [user],
      contexts: [context],
    }),
  );
  const toToken = (name: string): string => `token-${name.replaceAll(' ', '-')}`;
  const lines = Object.entries(TOKENS).map(([name, places]) =>
    tokenLine({ name: toToken(name), scopes: ['read'], ...(places && { places }) }, toToken(name)),
  );
  writeFileSync(tokens, lines.join(''), { mode: 0o600 });
  const port = await reservePorts(join(ledger.stateDir, 'ports.json'), ['api']);
  const address = `127.0.0.1:${port('api')}`;
  await ledger.start('api', {
    JOBLEDGER_KUBECONFIG: kubeconfig,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    JOBLEDGER_API_ADDRESS: address,
    JOBLEDGER_API_TOKENS_FILE: tokens,
  });
  createClient = (name) => apiClient(`http://${address}`, toToken(name));
}, 120_000);

afterAll(() => ledger?.stop(), 60_000);

/** Returns the parts of the choice that a token can read. */
async function shown(name: string): Promise<object> {
  const api = createClient(name);
  const placements = await api.get('/v1/jobs/pi/placements?cluster=east');
  const items = (placements.body as { items?: { placed_in: string; message: string }[] }).items;
  const asMember = await api.get('/v1/jobs/pi?cluster=west');
  const { home } = asMember.body as { home?: { cluster: string } | null };
  const placed = await api.get('/v1/clusters/west/placed');
  return {
    placements: items?.map(({ placed_in, message }) => [placed_in, message]) ?? placements.status,
    home: asMember.status === 200 ? (home?.cluster ?? null) : asMember.status,
    placed: (placed.body as { items: object[] }).items.length,
  };
}

describe('the cluster that Jobledger chose for a placed Job', () => {
  it.each([
    ['everything', { placements: [['west', WORDS]], home: 'east', placed: 1 }],
    ['the namespace in every cluster', { placements: [['west', WORDS]], home: 'east', placed: 1 }],
    ['the namespace in both clusters', { placements: [['west', CHOICE]], home: 'east', placed: 1 }],
    ['the namespace at home', { placements: [], home: 404, placed: 0 }],
    // A token for a whole cluster can read everything in that cluster, also about Jobs with another home.
    ['the cluster of the member', { placements: 404, home: null, placed: 1 }],
    ['the namespace of the member', { placements: 404, home: null, placed: 0 }],
    ['another namespace', { placements: 404, home: 404, placed: 0 }],
  ])('is shown to a token with rights to %s only as far as these rights reach', async (name, expected) => {
    expect(await shown(name)).toEqual(expected);
  });
});
