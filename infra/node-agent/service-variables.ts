/** The variables by which every container finds the API server: the address that this node uses itself. */
export function serviceVariables(server: URL): Record<string, string> {
  const port = server.port === '' ? (server.protocol === 'https:' ? '443' : '80') : server.port;
  return {
    KUBERNETES_SERVICE_HOST: server.hostname,
    KUBERNETES_SERVICE_PORT: port,
    KUBERNETES_SERVICE_PORT_HTTPS: port,
  };
}
