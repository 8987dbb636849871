import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readNodeAgentConfig } from '../../../../infra/local/node-agent/config.ts';
import { nodeStatus } from '../../../../infra/local/node-agent/node/node-object.ts';
import { serviceVariables } from '../../../../infra/local/node-agent/container/environment.ts';

const GIVEN = { NODE_AGENT_KUBECONFIG: 'config', NODE_AGENT_STATE_DIR: 'state' };

describe('the configuration of the node agent', () => {
  it('has defaults for everything except the kubeconfig and the state directory', () => {
    expect(readNodeAgentConfig(GIVEN)).toEqual({
      kubeconfig: 'config',
      stateDirectory: 'state',
      nodeName: 'local',
      address: '127.0.0.1',
      port: 0,
      backOff: { baseMs: 10_000, maxMs: 300_000 },
      images: [],
      containersOnStop: 'stop',
    });
  });

  it.each([
    ['no file', undefined, /NODE_AGENT_IMAGES: .*images\.json: .*ENOENT/],
    ['no JSON', '[', /NODE_AGENT_IMAGES: .*images\.json: .*JSON/],
    ['another shape', '[{ "image": "app:1" }]', /NODE_AGENT_IMAGES: [^]*entrypoint/],
  ])(
    'is refused, and the error names the variable, when the list of images is unusable: %s',
    (_what, content, message) => {
      const folder = mkdtempSync(join(tmpdir(), 'jobledger-images-'));
      const NODE_AGENT_IMAGES = join(folder, 'images.json');
      if (content !== undefined) writeFileSync(NODE_AGENT_IMAGES, content);
      expect(() => readNodeAgentConfig({ ...GIVEN, NODE_AGENT_IMAGES })).toThrow(message);
      rmSync(folder, { recursive: true });
    },
  );

  it('is refused with one error that names every problem', () => {
    const wrong = {
      NODE_AGENT_STATE_DIR: 'state',
      NODE_AGENT_PORT: 'many',
      NODE_AGENT_CONTAINERS_ON_STOP: 'maybe',
    };
    expect(() => readNodeAgentConfig(wrong)).toThrow(
      /NODE_AGENT_KUBECONFIG[^]*NODE_AGENT_PORT[^]*NODE_AGENT_CONTAINERS_ON_STOP/,
    );
  });

  it('has all three files for the TLS of the log endpoint, or none, and an error names a missing file', () => {
    expect(() =>
      readNodeAgentConfig({ ...GIVEN, NODE_AGENT_TLS_CERT: 'c', NODE_AGENT_TLS_KEY: 'k' }),
    ).toThrow(/NODE_AGENT_CLIENT_CA/);
    const all = { NODE_AGENT_TLS_CERT: 'c', NODE_AGENT_TLS_KEY: 'k', NODE_AGENT_CLIENT_CA: 'a' };
    expect(readNodeAgentConfig({ ...GIVEN, ...all }).tls).toEqual({ cert: 'c', key: 'k', clientCa: 'a' });
  });
});

describe('the Node object of the node agent', () => {
  it('is Ready, has the address and port of the log endpoint, and retains the transition time of unchanged conditions', () => {
    const held = {
      metadata: { name: 'local' },
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 'before' }] },
    };
    const status = nodeStatus(
      { name: 'local', address: '127.0.0.1', port: 4711, kubernetes: 'v1.35.4' },
      held,
      'now',
    );
    expect(status).toMatchObject({
      addresses: [
        { type: 'InternalIP', address: '127.0.0.1' },
        { type: 'Hostname', address: 'local' },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 4711 } },
      nodeInfo: { kubeletVersion: 'v1.35.4+jobledger-node-agent' },
      conditions: [
        { type: 'MemoryPressure', status: 'False', lastTransitionTime: 'now' },
        { type: 'DiskPressure', status: 'False' },
        { type: 'PIDPressure', status: 'False' },
        { type: 'Ready', status: 'True', lastTransitionTime: 'before', lastHeartbeatTime: 'now' },
      ],
    });
  });
});

describe('the variables that tell a container the address of the API server', () => {
  it.each([
    ['https://10.0.0.1', '443'],
    ['https://10.0.0.1:6443', '6443'],
  ])('contain the port of the API server at %s', (url, port) => {
    expect(serviceVariables(new URL(url))).toMatchObject({
      KUBERNETES_SERVICE_HOST: '10.0.0.1',
      KUBERNETES_SERVICE_PORT: port,
    });
  });
});
