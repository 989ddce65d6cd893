import { firstReply } from '../faults/first-reply.ts'
import { freePort } from '../process/free-port.ts'
import type { ServerRecipe } from '../server.ts'

/** One memcached with 64 MB. */
export const memcached: ServerRecipe = {
  kind: 'memcached',
  environment: 'UNIKV_TEST_MEMCACHED_URL',
  binaries: ['memcached'],
  debianPackages: ['memcached'],
  container: { image: 'memcached:1.6', port: 11_211, url: serverUrl },
  async launch(scope) {
    const port = await freePort()
    const process = await scope.run({
      command: scope.binary('memcached'),
      // It refuses to be root without being told; `-U 0`: no UDP.
      args: ['-u', 'nobody', '-l', '127.0.0.1', '-p', `${port}`, '-U', '0', '-m', '64', ...scope.args],
      dir: await scope.directory(),
      ready: async () => (await firstReply(port, 'version\r\n')).length > 0,
    })
    return [{ url: serverUrl('127.0.0.1', port), process }]
  },
}

function serverUrl(host: string, port: number): string {
  return `memcached://${host}:${port}`
}
