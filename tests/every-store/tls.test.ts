import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ServerKind } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'
import { Authority, type Certificate } from './fixtures/certificates.ts'

const script = fileURLToPath(new URL('fixtures/tls-client.mjs', import.meta.url))
const dataset = `tls_${process.pid}`

/** What stands in front of a server and speaks TLS for it. */
interface Front {
  readonly port: number
  /** How often somebody connected. */
  readonly connections: () => number
}

const folder = mkdtempSync(join(tmpdir(), 'unikv-tls-'))
const authority = new Authority(folder)
const certificates = {
  good: authority.certify('good', 'IP:127.0.0.1', 2),
  'for another name': authority.certify('other', 'DNS:other.example', 2),
  'that has expired': authority.certify('expired', 'IP:127.0.0.1', 0),
}
const fronts: Server[] = []
afterAll(() => {
  for (const front of fronts) front.close()
  rmSync(folder, { recursive: true })
})

async function frontOf(port: number, { key, cert }: Certificate): Promise<Front> {
  let count = 0
  const front = createServer({ key, cert }, (socket) => {
    const server = connect(port, '127.0.0.1')
    socket.on('error', () => server.destroy())
    server.on('error', () => socket.destroy())
    socket.pipe(server).pipe(socket)
  })
  front.on('connection', () => count++)
  fronts.push(front)
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  return { port: (front.address() as AddressInfo).port, connections: () => count }
}

interface Answer {
  readonly code: string
  readonly message?: string
  readonly retryable?: boolean
}

/** What the store of a URL answers in a process that knows our authority, or does not. */
async function ask(url: string, knows: boolean, timeoutMs = 20_000): Promise<Answer> {
  const env = { ...process.env, ...(knows ? { NODE_EXTRA_CA_CERTS: authority.path } : {}) }
  const { stdout } = await promisify(execFile)(process.execPath, [script, url, String(timeoutMs)], { env })
  return JSON.parse(stdout) as Answer
}

/** A server, the URL by which it is reached with TLS at a port, and whether all of it goes through that port. */
type Case = readonly [
  kind: ServerKind,
  title: string,
  urlAt: (port: number, url: URL) => string,
  whole: boolean,
]

const cases: readonly Case[] = [
  ['redis', 'Redis by ioredis', (port) => `rediss://127.0.0.1:${port}?dataset=${dataset}`, true],
  [
    'redis',
    'Redis by node-redis',
    (port) => `rediss://127.0.0.1:${port}?driver=node-redis&dataset=${dataset}`,
    true,
  ],
  [
    'mongodb',
    'MongoDB',
    (port) => `mongodb://127.0.0.1:${port}/unikv?directConnection=true&tls=true&dataset=${dataset}`,
    true,
  ],
  [
    'couchdb',
    'CouchDB',
    (port, { username, password }) => `couchdbs://${username}:${password}@127.0.0.1:${port}/${dataset}`,
    true,
  ],
  ['hbase', 'HBase', (port) => `hbases://127.0.0.1:${port}/${dataset}`, true],
  [
    'dynamodb',
    'DynamoDB',
    (port, { username, password }) =>
      `dynamodb://${username}:${password}@${dataset}?region=eu-central-1&endpoint=https://127.0.0.1:${port}`,
    true,
  ],
  // Its bucket is not there, which it says by an answer.
  [
    's3',
    'S3',
    (port, { username, password }) =>
      `s3://${username}:${password}@no-such-bucket?region=eu-central-1&endpoint=https://127.0.0.1:${port}`,
    true,
  ],
  // These tell their clients another address, where they have no TLS.
  [
    'swift',
    'Swift',
    (port, { username, password }) => `swift://${username}:${password}@127.0.0.1:${port}/${dataset}?tls=true`,
    false,
  ],
  [
    'cassandra',
    'Cassandra',
    (port) => `cassandra://127.0.0.1:${port}/unikv?datacenter=datacenter1&tls=true&dataset=${dataset}`,
    false,
  ],
]

for (const [kind, title, urlAt, whole] of cases)
  describeWith(kind, (address) => {
    const url = new URL(address.replace(/^[a-z+]+:/, 'http:'))
    const server = Number(url.port)

    describe(`TLS of ${title}`, () => {
      const throughout = async (): Promise<void> => {
        const front = await frontOf(server, certificates.good)
        const { code } = await ask(urlAt(front.port, url), true)
        expect(code).toBe(kind === 's3' ? 'NOT_PREPARED' : 'answered')
        expect(front.connections()).toBeGreaterThan(0)
      }
      if (whole) test('a certificate of an authority that is known', throughout)

      test.each([
        ['of an authority that is not known', 'good', false, /UNABLE_TO_VERIFY_LEAF_SIGNATURE/],
        ['for another name', 'for another name', true, /ERR_TLS_CERT_ALTNAME_INVALID/],
        ['that has expired', 'that has expired', true, /CERT_HAS_EXPIRED/],
      ] as const)('a certificate %s is refused at once, and told', async (_title, which, knows, reason) => {
        const front = await frontOf(server, certificates[which])
        const answer = await ask(urlAt(front.port, url), knows)
        expect(answer).toMatchObject({ code: 'UNAVAILABLE', retryable: false })
        expect(answer.message).toMatch(/^No trusted TLS with .*tls\.ca or NODE_EXTRA_CA_CERTS/)
        expect(answer.message).toMatch(reason)
        if (url.password !== '') expect(answer.message).not.toContain(url.password)
        // Nobody tries again what cannot be mended so.
        expect(front.connections()).toBe(1)
      })

      test('a server without TLS is not taken for one, and the call ends in time', async () => {
        const answer = await ask(urlAt(server, url), true, 2_000)
        expect(answer.code).toMatch(/^(UNAVAILABLE|TIMEOUT)$/)
      })
    })
  })
