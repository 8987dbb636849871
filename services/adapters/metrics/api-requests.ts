import type { RequestObserver } from '../kubernetes/client.ts';
import type { Metrics } from './metrics.ts';

/**
 * Counts requests to API servers under client-go's name (J-11.4). The host is that of the kubeconfig, without a path or
 * credentials.
 */
export function countRequests(metrics: Metrics): RequestObserver {
  const count = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, by status code, method, and host; <error> for those without an answer.',
    labels: ['code', 'method', 'host'],
  });
  return ({ method, host, status }) =>
    count({ code: status === 0 ? '<error>' : String(status), method, host });
}
