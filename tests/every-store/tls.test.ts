import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import type { ServerKind } from '@unikv/test-kit'
import { describeWith, someOf } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

/** A store of a URL, asked at the same time as others, and how long it may take. */
interface Question {
  readonly url: string
  readonly timeoutMs: number
}

const clients = new Map<boolean, ChildProcess>()
afterAll(() => {
  for (const client of clients.values()) client.disconnect()
})

/** A process that knows our authority, or one that does not: Node.js reads that when it starts. */
function clientThat(knows: boolean): ChildProcess {
  const env = { ...process.env, ...(knows ? { NODE_EXTRA_CA_CERTS: authority.path } : {}) }
  const client = clients.get(knows) ?? fork(script, { env })
  clients.set(knows, client)
  return client
}

/** What the stores of these URLs answer in such a process. */
async function ask(questions: readonly Question[], knows: boolean): Promise<readonly Answer[]> {
  const client = clientThat(knows)
  client.send(questions)
  const [answers] = (await once(client, 'message')) as [Answer[]]
  return answers
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
  // Its bucket is not there, which it says by an answer.
  [
    's3',
    'S3',
    (port, { username, password }) =>
      `s3://${username}:${password}@no-such-bucket?region=eu-central-1&endpoint=https://127.0.0.1:${port}`,
    true,
  ],
  // This one and Swift tell their clients another address, where they have no TLS.
  [
    'cassandra',
    'Cassandra',
    (port) => `cassandra://127.0.0.1:${port}/unikv?datacenter=datacenter1&tls=true&dataset=${dataset}`,
    false,
  ],
  // Their clients are those of CouchDB and S3.
  ['hbase', 'HBase', (port) => `hbases://127.0.0.1:${port}/${dataset}`, true],
  [
    'dynamodb',
    'DynamoDB',
    (port, { username, password }) =>
      `dynamodb://${username}:${password}@${dataset}?region=eu-central-1&endpoint=https://127.0.0.1:${port}`,
    true,
  ],
  [
    'swift',
    'Swift',
    (port, { username, password }) => `swift://${username}:${password}@127.0.0.1:${port}/${dataset}?tls=true`,
    false,
  ],
]

const known = 'of an authority that is known'
const unknown = 'of an authority that is not known'
const withoutTls = 'none'

/** What came of a question. */
interface Outcome {
  readonly front: Front
  readonly answer: Answer
}

for (const [kind, title, urlAt, whole] of someOf(6, cases))
  describeWith(kind, (address) => {
    const url = new URL(address.replace(/^[a-z+]+:/, 'http:'))
    const server = Number(url.port)

    describe(`TLS of ${title}`, () => {
      const outcomes = new Map<string, Outcome>()
      beforeAll(async () => {
        const ofKnown = [...(whole ? [known] : []), 'for another name', 'that has expired']
        await Promise.all([answered([unknown], false), answered([...ofKnown, withoutTls], true)])
      })

      async function answered(titles: readonly string[], knows: boolean): Promise<void> {
        const asked = await Promise.all(titles.map(frontFor))
        const answers = await ask(
          asked.map(({ port }, i) => ({
            url: urlAt(port, url),
            timeoutMs: titles[i] === withoutTls ? 2_000 : 20_000,
          })),
          knows,
        )
        for (const [i, title] of titles.entries())
          outcomes.set(title, { front: asked[i] as Front, answer: answers[i] as Answer })
      }

      async function frontFor(title: string): Promise<Front> {
        if (title === withoutTls) return { port: server, connections: () => 0 }
        const { good } = certificates
        return frontOf(server, certificates[title as keyof typeof certificates] ?? good)
      }

      if (whole)
        test(`a certificate ${known}`, () => {
          const { front, answer } = outcomes.get(known) as Outcome
          expect(answer.code).toBe(kind === 's3' ? 'NOT_PREPARED' : 'answered')
          expect(front.connections()).toBeGreaterThan(0)
        })

      test.each([
        [unknown, /UNABLE_TO_VERIFY_LEAF_SIGNATURE/],
        ['for another name', /ERR_TLS_CERT_ALTNAME_INVALID/],
        ['that has expired', /CERT_HAS_EXPIRED/],
      ] as const)('a certificate %s is refused at once, and told', (which, reason) => {
        const { front, answer } = outcomes.get(which) as Outcome
        expect(answer).toMatchObject({ code: 'UNAVAILABLE', retryable: false })
        expect(answer.message).toMatch(/^No trusted TLS with .*tls\.ca or NODE_EXTRA_CA_CERTS/)
        expect(answer.message).toMatch(reason)
        if (url.password !== '') expect(answer.message).not.toContain(url.password)
        // Nobody tries again what cannot be mended so.
        expect(front.connections()).toBe(1)
      })

      test('a server without TLS is not taken for one, and the call ends in time', () => {
        const { answer } = outcomes.get(withoutTls) as Outcome
        expect(answer.code).toMatch(/^(UNAVAILABLE|TIMEOUT)$/)
      })
    })
  })
