import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { type KeyValue, keyValue } from '@unikv/core'
import { ownServer, refusals } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, expect, test } from 'vitest'
import { type S3Capabilities, type S3Options, s3 } from '../src/index.ts'
import { bucket, clientFor, freshPrefix, optionsFor } from './s3-bench.ts'

type Kv = KeyValue<string, Uint8Array, S3Capabilities>

const value = Buffer.from('v')
const version = async (kv: Kv): Promise<string> => (await kv.getEntry('x'))?.version ?? ''

async function listed<T>(listing: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const one of listing) all.push(one)
  return all
}

const rights = ['read', 'write', 'list']

/** Operations on the keys x, y and z (which may expire), and the rights that each one needs. */
const operations: Readonly<Record<string, readonly [needs: string, run: (kv: Kv) => Promise<unknown>]>> = {
  get: ['read', (kv) => kv.get('x')],
  'get of nothing': ['read', (kv) => kv.get('nothing')],
  getMany: ['read', (kv) => kv.getMany(['x', 'nothing'])],
  has: ['read', (kv) => kv.has('x')],
  revalidate: ['read', (kv) => kv.revalidate('x', '0'.repeat(24))],
  set: ['write', (kv) => kv.set('x', value)],
  'set if absent': ['write', (kv) => kv.set('new', value, { ifVersion: null })],
  'set that keeps the expiry': ['read write', (kv) => kv.set('x', value, { ttlMs: 'keep' })],
  'set of a version': ['read write', async (kv) => kv.set('x', value, { ifVersion: await version(kv) })],
  setMany: [
    'write',
    (kv) =>
      kv.setMany([
        ['x', value],
        ['y', value],
      ]),
  ],
  update: ['read write', (kv) => kv.update('x', () => value)],
  delete: ['write', (kv) => kv.delete('y')],
  deleteMany: ['write', (kv) => kv.deleteMany(['y', 'nothing'])],
  'delete of a version': ['read write', async (kv) => kv.delete('x', { ifVersion: await version(kv) })],
  keys: ['list read', (kv) => listed(kv.keys())],
  entries: ['list read', (kv) => listed(kv.entries())],
  count: ['list read', (kv) => kv.count()],
  clear: ['list write', (kv) => kv.clear({ all: true })],
}

describeWithOwn('s3', async () => {
  const server = await ownServer('s3')
  const owner = clientFor(server.url)
  await owner.send(new CreateBucketCommand({ Bucket: bucket }))
  const opened: { close(): Promise<unknown> }[] = []
  afterAll(async () => {
    for (const store of opened) await store.close()
    owner.destroy()
    await server.stop()
  })

  function open(url: string, options: Partial<S3Options>): Kv {
    const store = s3({ ...optionsFor(url), prepare: false, ...options })
    opened.push(store)
    return keyValue(store)
  }

  /** A user over records that are there. */
  async function userCalled(name: string): Promise<{ readonly kv: Kv; readonly whole: Kv }> {
    const prefix = freshPrefix()
    const whole = open(server.url, { prefix })
    await whole.setMany([
      ['x', value],
      ['y', value],
    ])
    await whole.set('z', value, { ttlMs: 3_600_000 })
    return { kv: open(server.url.replace('://unikv:', `://${name}:`), { prefix }), whole }
  }

  test('the least rights are enough for everything', async () => {
    const { kv } = await userCalled('least')
    for (const [name, [, run]] of Object.entries(operations))
      expect(await refusals(run(kv)), name).toEqual(['none'])
  })

  test.each(rights)('without %s what needs it is ACCESS_DENIED, and changes nothing', async (missing) => {
    const { kv, whole } = await userCalled(`without-${missing}`)
    for (const [name, [needs, run]] of Object.entries(operations)) {
      if (!needs.split(' ').includes(missing)) continue
      expect(await refusals(run(kv)), name).toEqual(['ACCESS_DENIED'])
    }
    expect(await listed(whole.keys())).toEqual(['x', 'y', 'z'])
  })

  test('who may not make the missing bucket is told so', async () => {
    const url = server.url.replace('://unikv:', '://least:')
    const kv = open(url, { prefix: freshPrefix(), bucket: 'unikv-missing', prepare: true })
    expect(await refusals(kv.set('x', value))).toEqual(['ACCESS_DENIED'])
  })
})
