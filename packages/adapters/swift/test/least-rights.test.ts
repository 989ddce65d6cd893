import { randomBytes } from 'node:crypto'
import { type KeyValue, keyValue } from '@unikv/core'
import { ownServer, refusals } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, expect, test } from 'vitest'
import { type SwiftCapabilities, swift } from '../src/index.ts'
import { authOf } from './swift-bench.ts'

type Acl = Readonly<Record<string, string>>
type Kv = KeyValue<string, Uint8Array, SwiftCapabilities>

const value = Buffer.from('v')
const hour = { ttlMs: 3_600_000 }

async function listed(listing: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of listing);
}

/** Operations on the keys x, y and z, and whether they change something: each one reads, as opening does. */
const operations: Readonly<Record<string, readonly [writes: boolean, run: (kv: Kv) => Promise<unknown>]>> = {
  get: [false, (kv) => kv.get('x')],
  'get of nothing': [false, (kv) => kv.get('nothing')],
  getMany: [false, (kv) => kv.getMany(['x', 'nothing'])],
  has: [false, (kv) => kv.has('x')],
  revalidate: [false, (kv) => kv.revalidate('x', '0'.repeat(24))],
  keys: [false, (kv) => listed(kv.keys())],
  entries: [false, (kv) => listed(kv.entries())],
  count: [false, (kv) => kv.count()],
  set: [true, (kv) => kv.set('x', value, hour)],
  'set that keeps the expiry': [true, (kv) => kv.set('x', value, { ttlMs: 'keep' })],
  setMany: [
    true,
    (kv) =>
      kv.setMany([
        ['x', value],
        ['new', value],
      ]),
  ],
  touch: [true, (kv) => kv.touch('x', hour)],
  'touch of nothing': [true, (kv) => kv.touch('nothing', hour)],
  delete: [true, (kv) => kv.delete('y')],
  'delete of nothing': [true, (kv) => kv.delete('nothing')],
  deleteMany: [true, (kv) => kv.deleteMany(['y', 'nothing'])],
  clear: [true, (kv) => kv.clear({ all: true })],
}

describeWithOwn('swift', async () => {
  const server = await ownServer('swift')
  const opened: { close(): Promise<unknown> }[] = []
  afterAll(async () => {
    for (const store of opened) await store.close()
    await server.stop()
  })

  const guest = 'test:guest'
  const rights = { read: { 'x-container-read': guest }, write: { 'x-container-write': guest } }

  function open(container: string, user: string) {
    const { v1 } = authOf(server.url) as Extract<ReturnType<typeof authOf>, { v1: object }>
    const store = swift({ auth: { v1: { ...v1, user } }, container })
    opened.push(store)
    return store
  }

  /** A guest in a container with this ACL, over records that are there. */
  async function guestWith(acl: Acl) {
    const container = `c_${randomBytes(8).toString('hex')}`
    const store = open(container, 'test:tester')
    const change = (headers: Acl): Promise<unknown> =>
      store.native.fetch(`/${container}`, { method: 'PUT', headers })
    await change(acl)
    const whole = keyValue(store) as unknown as Kv
    await whole.setMany(['x', 'y', 'z'].map((key) => [key, value] as const))
    return { kv: keyValue(open(container, guest)) as unknown as Kv, whole, change }
  }

  test('the ACL for reading and writing is enough for everything', async () => {
    const { kv } = await guestWith({ ...rights.read, ...rights.write })
    for (const [name, [, run]] of Object.entries(operations))
      expect(await refusals(run(kv)), name).toEqual(['none'])
  })

  test('who may only read gets ACCESS_DENIED for each write, which changes nothing', async () => {
    const { kv, whole } = await guestWith(rights.read)
    for (const [name, [writes, run]] of Object.entries(operations)) {
      expect(await refusals(run(kv)), name).toEqual([writes ? 'ACCESS_DENIED' : 'none'])
    }
    expect(await whole.count()).toBe(3)
  })

  test.each([
    ['only write', rights.write],
    ['do nothing', {}],
  ])('who may %s gets ACCESS_DENIED for everything, and nothing is absent', async (_, acl) => {
    const { kv, whole } = await guestWith(acl)
    for (const [name, [, run]] of Object.entries(operations))
      expect(await refusals(run(kv)), name).toEqual(['ACCESS_DENIED'])
    expect(await whole.count()).toBe(3)
  })

  test('rights that are taken from an open store make no record absent', async () => {
    const { kv, whole, change } = await guestWith({ ...rights.read, ...rights.write })
    expect(await kv.count()).toBe(3)
    await change({ 'x-container-read': '', 'x-container-write': '' })
    for (const [name, [, run]] of Object.entries(operations))
      expect(await refusals(run(kv)), name).toEqual(['ACCESS_DENIED'])
    expect(await whole.count()).toBe(3)
  })
})
