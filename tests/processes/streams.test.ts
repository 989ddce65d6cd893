import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { noteCounts, ownServer, ownServerObstacle } from '@unikv/test-kit'
import { someOf } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from './killed-writer.ts'

// A value through a server process whose heap is far smaller, both ways. Its memory outside of the heap is bounded, too.

const mib = 1_048_576
/** MiB of the value. */
const size = Number(process.env['UNIKV_MEBIBYTES'] ?? 128)
/** A server that held the value would need as much as it is long. */
const mostGrown = 180 * mib

let folder = ''
let script = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-streams-'))
  // Beside the tests, as LMDB is a native module that is not bundled.
  script = fileURLToPath(new URL(`../../node_modules/.streaming-server-${process.pid}.mjs`, import.meta.url))
  const external = ['lmdb', 'ioredis', 'redis', '@redis/client']
  await bundle(new URL('fixtures/streaming-server.ts', import.meta.url), script, external)
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await rm(script, { force: true })
})

/** A MiB of the value: its number makes each another one. */
function piece(number: number): Buffer {
  const bytes = Buffer.alloc(mib, number % 251)
  bytes.writeUInt32BE(number)
  return bytes
}

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < size; number++) yield piece(number)
}

interface Running {
  readonly child: ChildProcess
  readonly lines: Interface
  readonly url: string
  /** Memory at the beginning. */
  readonly own: number
}

async function started(kind: string, place: string): Promise<Running> {
  const child = spawn(process.execPath, ['--max-old-space-size=64', script, kind, place], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('The server has ended.')))
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
  ended.catch(() => {})
  return { child, lines, ...(JSON.parse(line) as Pick<Running, 'url' | 'own'>) }
}

/** The most memory that the server had since its start. */
async function most({ child, lines }: Running): Promise<{ readonly own: number; readonly heap: number }> {
  child.stdin?.write('\n')
  const [line] = (await once(lines, 'line')) as [string]
  return JSON.parse(line) as { own: number; heap: number }
}

async function passes(kind: string, place: string): Promise<void> {
  const running = await started(kind, place)
  try {
    const beganAt = performance.now()
    const init = { method: 'PUT', body: ReadableStream.from(pieces()), duplex: 'half' } as RequestInit
    expect((await fetch(`${running.url}/film`, init)).status).toBe(204)
    const wroteAt = performance.now()
    const [wanted, got] = [createHash('sha256'), createHash('sha256')]
    const found = await fetch(`${running.url}/film`)
    for await (const bytes of found.body as unknown as AsyncIterable<Uint8Array>) got.update(bytes)
    const readAt = performance.now()
    for (let number = 0; number < size; number++) wanted.update(piece(number))
    expect(got.digest('hex')).toBe(wanted.digest('hex'))
    const { own, heap } = await most(running)
    noteCounts({
      store: kind,
      mebibytes: size,
      writtenPerSecond: Math.round((1000 * size) / (wroteAt - beganAt)),
      readPerSecond: Math.round((1000 * size) / (readAt - wroteAt)),
      atStart: Math.round(running.own / mib),
      most: Math.round(own / mib),
      heap: Math.round(heap / mib),
    })
    expect(own - running.own).toBeLessThan(mostGrown)
    expect(heap).toBeLessThan(64 * mib)
  } finally {
    running.child.kill('SIGKILL')
  }
}

test.each(someOf(1, ['lmdb', 'file']))(
  'a long value passes through a small heap to %s and back',
  async (kind) => {
    await passes(kind, join(folder, kind))
  },
  600_000,
)

test.skipIf(ownServerObstacle('redis') !== undefined)(
  'a long value passes through a small heap to redis and back',
  async () => {
    await using server = await ownServer('redis')
    await passes('redis', server.url)
  },
  600_000,
)
