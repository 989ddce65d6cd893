import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { firstReply } from '../faults/first-reply.ts'
import { npmPackages } from '../install/downloads.ts'
import { freePort } from '../process/free-port.ts'
import type { ServerRecipe } from '../server.ts'

const user = 'unikv'
const password = 'relax'

/** Ships with `src`, as it is not a module of this package. */
const program: string = fileURLToPath(new URL('../../src/servers/couchdb-server.mjs', import.meta.url))

const packages: readonly string[] = [
  'express-pouchdb@4.2.0',
  'express@4.21.2',
  'pouchdb-core@9.0.0',
  'pouchdb-adapter-leveldb@9.0.0',
  'pouchdb-mapreduce@9.0.0',
  'pouchdb-replication@9.0.0',
  'pouchdb-find@9.0.0',
]

/**
 * Stands for CouchDB where there is no container of it: a PouchDB-based server with a shim, since no package
 * registry has CouchDB. It has neither a cluster nor CouchDB's limits. The address carries user and password.
 */
export const couchdb: ServerRecipe = {
  kind: 'couchdb',
  environment: 'UNIKV_TEST_COUCHDB_URL',
  binaries: ['node', 'npm'],
  debianPackages: [],
  container: {
    image: 'couchdb:3.4',
    port: 5984,
    environment: { COUCHDB_USER: user, COUCHDB_PASSWORD: password },
    url: serverUrl,
  },
  async launch(scope) {
    const folder = await npmPackages(packages)
    const port = await freePort()
    const dir = await scope.directory()
    const process = await scope.run({
      command: scope.binary('node'),
      args: [program, folder, String(port), join(dir, 'data'), user, password, ...scope.args],
      dir,
      ready: async () =>
        (await firstReply(port, 'GET / HTTP/1.0\r\n\r\n')).toString().startsWith('HTTP/1.1 401'),
    })
    return [{ url: serverUrl('127.0.0.1', port), process }]
  },
}

function serverUrl(host: string, port: number): string {
  return `http://${user}:${password}@${host}:${port}/`
}
