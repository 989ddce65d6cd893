import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { opening } from '@unikv/conformance'
import { keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LmdbOptions, lmdb } from '../src/index.ts'
import { bundle } from './proofs/bundle.ts'

const path = 'a'
const refused: readonly (readonly [string, object])[] = [
  ['no path', {}],
  ['an empty path', { path: '' }],
  ['an upper-case dataset', { path, dataset: 'No' }],
  ['a durability that is none', { path, durability: 'none' }],
]

const fresh = async (): Promise<LmdbOptions> => ({ path: await mkdtemp(join(tmpdir(), 'unikv-opening-')) })
const onCall = (options: LmdbOptions): LmdbOptions => ({ ...options, prepare: true })

opening<LmdbOptions>({
  test,
  describe,
  make: (options) => lmdb(options),
  refused,
  fresh,
  discard: (options) => rm(options.path, { recursive: true }),
  preparing: {
    missing: async () => ({ ...(await fresh()), prepare: false }),
    onCall,
    prepare: async (options) => {
      await using kv = keyValue(lmdb(onCall(options)), [], { timeoutMs: 60_000 })
      await kv.set('first', Buffer.from('write'))
    },
  },
  module: { url: new URL('../dist/index.js', import.meta.url), make: 'lmdb' },
})

const openings = Number(process.env['UNIKV_CYCLES'] ?? 12)

let folder = ''
let script = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-opening-'))
  script = await bundle(new URL('proofs/counter.ts', import.meta.url), folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Open an environment, write a key, and close it. */
async function openAndSet(path: string, key: string): Promise<void> {
  const store = lmdb({ path })
  const mutation = { type: 'set', key, value: Buffer.from(key), version: newVersion() } as const
  await store.write([mutation], callOptions())
  await store.close()
}

describe('an environment that others write to', () => {
  test('takes no acknowledged write back when it is opened', async () => {
    const path = join(folder, 'data')
    const writers = [['a'], ['b', 'c', 'd']].map((keys) =>
      spawn(process.execPath, [script, path, ...keys], { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    const told = writers.map(({ stdout }) => text(stdout))
    const ended = writers.map((writer) => once(writer, 'exit'))
    await pause(300)
    for (let i = 0; i < openings; i++) await openAndSet(path, 'opener')
    for (const { stdin } of writers) stdin.end()
    await Promise.all(ended)
    const words = await Promise.all(told)
    for (const word of words) expect(word).toMatch(/^[1-9][0-9]* numbers\n$/)
    console.log(`${openings} openings beside ${words.join(' and ').replaceAll('\n', '')}, none taken back`)
    // Who ends leaves nothing.
    expect((await readdir(path)).toSorted()).toEqual(['data.mdb', 'lock.mdb'])
  }, 600_000)
})
