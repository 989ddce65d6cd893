import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { firstReply } from '../faults/first-reply.ts'
import { pypiPackages } from '../install/downloads.ts'
import { freePort } from '../process/free-port.ts'
import type { ServerRecipe } from '../server.ts'

/**
 * SecantusDB: a server that speaks MongoDB's protocol over WiredTiger, MongoDB's storage engine. It is not mongod, which
 * no package registry has, but the nearest to it that can be installed. A tool for tests alone: its licence is the GPL.
 */
const secantus = 'SecantusDB==0.7.0b3'

/** One server that calls itself a replica set of one member. */
export const mongodb: ServerRecipe = {
  kind: 'mongodb',
  environment: 'UNIKV_TEST_MONGODB_URL',
  binaries: ['python3'],
  debianPackages: ['python3', 'python3-pip'],
  container: { image: 'mongo:8.0', port: 27017, url: serverUrl },
  async launch(scope) {
    const folder = await pypiPackages([secantus])
    const port = await freePort()
    const dir = await scope.directory()
    // A file of its own stops its search of home and system folders.
    const config = join(dir, 'secantus.toml')
    await writeFile(config, '')
    const process = await scope.run({
      command: scope.binary('python3'),
      args: ['-c', program(folder), ...serverArgs(config, port, join(dir, 'data')), ...scope.args],
      dir,
      ready: async () => (await firstReply(port, hello)).includes('maxWireVersion'),
    })
    return [{ url: serverUrl('127.0.0.1', port), process }]
  },
}

/** The script of the package, with the folder that holds its modules. */
function program(folder: string): string {
  return `import sys; sys.path.insert(0, ${JSON.stringify(folder)}); from secantus.cli import main; sys.exit(main())`
}

function serverArgs(config: string, port: number, data: string): readonly string[] {
  // With 128M it stood still once, after a quarter of an hour: a call that waits for room in the cache holds its one lock.
  const settings = { config, host: '127.0.0.1', port, 'storage-path': data, 'cache-size': '1G' }
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`])
}

function serverUrl(host: string, port: number): string {
  return `mongodb://${host}:${port}/?directConnection=true`
}

/** OP_MSG with `{ hello: 1, $db: 'admin' }`: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
const hello: Buffer = Buffer.from(
  '340000000100000000000000dd0700000000000000' +
    '1f0000001068656c6c6f000100000002246462000600000061646d696e0000',
  'hex',
)
