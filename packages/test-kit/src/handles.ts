/** Names of the sockets and timers that keep this process alive, sorted. */
export function handles(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => ['TCPSocketWrap', 'TCPConnectWrap', 'Timeout'].includes(name))
    .sort()
}
