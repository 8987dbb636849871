/** The environment variables through which containers find the API server, with the address that this node uses. */
export function serviceVariables(server: URL): Record<string, string> {
  const port = server.port === '' ? (server.protocol === 'https:' ? '443' : '80') : server.port;
  return {
    KUBERNETES_SERVICE_HOST: server.hostname,
    KUBERNETES_SERVICE_PORT: port,
    KUBERNETES_SERVICE_PORT_HTTPS: port,
  };
}
