import type { RequestObserver } from '../kubernetes/client.ts';
import type { Metrics } from './metrics.ts';

/**
 * Counts requests to API servers under client-go's name (J-11.4). `host` is the host of the kubeconfig, without path or
 * credentials.
 */
export function requestCounter(metrics: Metrics): RequestObserver {
  const count = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'The number of HTTP requests, by status code, method and host; the code is <error> when there was no response.',
    labels: ['code', 'method', 'host'],
  });
  return ({ method, host, status }) =>
    count({ code: status === 0 ? '<error>' : String(status), method, host });
}
