import { type Bytes, json, keyValue, type Mutation } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { Random } from '@unikv/test-kit/schedules'
import { describe, expect, test } from 'vitest'
import { cache } from '../src/index.ts'
import { encodeWarmEntry } from '../src/warm/warm-entry.ts'
import { chunkKey, manifestKey } from '../src/warm/warm-options.ts'
import { encodeChunk, encodeManifest, hashOf } from '../src/warm/warm-record.ts'
import { narrow, readAll, run, world } from './warm-setting.ts'

const mutations = Number(process.env['UNIKV_MUTATIONS'] ?? 500)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)
const keys = Array.from({ length: 12 }, (_, i) => `k${i}`)

type Files = ReadonlyMap<string, Bytes>

/** The records of a save of these values. */
async function saveOf(valueOf: (key: string) => unknown, namespace = 'warm'): Promise<Files> {
  const here = world()
  const options = { freshForMs: 1e9 }
  const { kv } = run(here, options, { store: narrow(here.files, 1_024), namespace })
  for (const key of keys) await kv.set(key, valueOf(key) as never)
  await readAll(kv, keys)
  await kv.close()
  return new Map(Array.from(here.files.native, ([key, { value }]) => [key, Uint8Array.from(value)]))
}

/** What a cache has after it loaded these records, and what it counted. */
async function loadOf(files: Files, namespace = 'warm') {
  const store = memory({ clock: () => 0 })
  const call = { deadlineAt: Number.POSITIVE_INFINITY }
  const all = Array.from(
    files,
    ([key, value]): Mutation<Bytes> => ({ type: 'set', key, value, version: '0'.repeat(24) }),
  )
  if (all.length > 0) await store.write(all, call)
  const here = world()
  const near = cache({
    freshForMs: 1e9,
    clock: () => here.wall,
    monotonicClock: () => 1_000,
    warm: { store, namespace, resume: 'fresh', maxAgeMs: 1e15, uptime: async () => undefined },
  })
  const kv = keyValue(memory(), [near, json()])
  await near.loaded()
  const values = new Map<string, unknown>()
  for (const key of keys) {
    const value = await kv.get(key)
    if (value !== undefined) values.set(key, value)
  }
  return { values, stats: near.stats(), warm: near.stats().warm }
}

describe('what somebody changed', () => {
  const ours = saveOf((key) => ({ key, save: 'this', text: 'x'.repeat(150) }))
  const earlier = saveOf((key) => ({ key, save: 'earlier', text: 'y'.repeat(150) }))
  const foreign = saveOf((key) => ({ key, save: 'foreign', text: 'z'.repeat(150) }), 'other')

  /** One change of the records, of a kind that the seed decides. */
  function changed(chance: Random, files: Files, others: readonly Files[]): Map<string, Bytes> {
    const made = new Map(files)
    const names = Array.from(made.keys())
    const name = chance.pick(names)
    const bytes = Uint8Array.from(made.get(name) as Bytes)
    const other = chance.pick(others)
    const donor = chance.pick(Array.from(other.values()))
    const at = chance.below(bytes.length)
    const ways: (() => void)[] = [
      () => {
        for (let left = 1 + chance.below(3); left > 0; left--) {
          const where = chance.below(bytes.length)
          bytes[where] = (bytes[where] as number) ^ (1 << chance.below(8))
        }
        made.set(name, bytes)
      },
      () => made.set(name, bytes.slice(0, at)),
      () => made.set(name, Buffer.concat([bytes, donor.slice(0, 1 + chance.below(donor.length))])),
      () => made.set(name, Buffer.concat([bytes.slice(0, at), donor.slice(Math.min(at, donor.length - 1))])),
      () => made.set(name, donor),
      () => made.delete(name),
      () => {
        const second = chance.pick(names)
        made.set(name, made.get(second) as Bytes)
        made.set(second, bytes)
      },
      () => made.set(name, new Uint8Array(chance.below(2_000)).fill(chance.below(256))),
      () => {
        const from = chance.below(bytes.length)
        bytes.copyWithin(at, from, from + chance.below(64))
        made.set(name, bytes)
      },
      () => {
        new DataView(bytes.buffer).setUint32(
          chance.below(Math.max(1, bytes.length - 4)),
          chance.pick([0, 1, 2 ** 31, 2 ** 32 - 1]),
        )
        made.set(name, bytes)
      },
    ]
    chance.pick(ways)()
    return made
  }

  test('gives no value that was not saved for its key, and breaks nothing', {
    timeout: 900_000,
  }, async () => {
    const files = await ours
    // The records of the other dataset as they are, and where ours are.
    const moved = new Map(Array.from(await foreign, ([key, value]) => [key.replace('other', 'warm'), value]))
    const others = [await earlier, await foreign, moved]
    const { values: whole } = await loadOf(files)
    expect(whole.size).toBe(keys.length)
    const counts = { refused: 0, intact: 0, part: 0, none: 0 }
    for (let seed = firstSeed; seed < firstSeed + mutations; seed++) {
      const chance = new Random(seed)
      let made = changed(chance, files, others)
      while (made.size > 0 && chance.chance(0.3)) made = changed(chance, made, others)
      const { values, stats, warm } = await loadOf(made)
      for (const [key, value] of values) expect(value, `seed ${seed}`).toEqual(whole.get(key))
      expect(warm?.errors, `seed ${seed}`).toBe(0)
      expect(stats.entries, `seed ${seed}`).toBe(values.size)
      if ((warm?.refusals ?? 0) > 0) counts.refused++
      counts[values.size === keys.length ? 'intact' : values.size > 0 ? 'part' : 'none']++
    }
    console.log(`${mutations} changes from seed ${firstSeed}: ${JSON.stringify(counts)}`)
    expect(counts.refused).toBeGreaterThan(mutations / 2)
    expect(counts.part).toBeGreaterThan(mutations / 20)
  })

  test('of an earlier save is no part of a later one', async () => {
    const [now, before] = [await ours, await earlier]
    for (const key of now.keys()) {
      const { values, warm } = await loadOf(new Map([...now, [key, before.get(key) as Bytes]]))
      for (const value of values.values()) expect(value).toMatchObject({ save: 'this' })
      expect(warm?.refusals).toBeGreaterThan(0)
    }
  })

  test('of another namespace is refused, as a whole', async () => {
    const moved = new Map(Array.from(await foreign, ([key, value]) => [key.replace('other', 'warm'), value]))
    expect(await loadOf(moved)).toMatchObject({ values: new Map(), warm: { refusals: 1 } })
    expect((await loadOf(await foreign, 'other')).values.size).toBe(keys.length)
  })
})

describe('what somebody made, with hashes that are right', () => {
  /** One chunk of these bytes, and a manifest that tells of it. */
  async function made(content: Buffer, change: object = {}): Promise<Files> {
    const place = { slot: 0, id: '00'.repeat(16), index: 0 }
    const chunk = encodeChunk(place, [content])
    const manifest = {
      ...place,
      savedAt: world().wall,
      uptimeMs: 0,
      freshForMs: 1e9,
      boot: '',
      codec: 'structured',
      namespace: 'warm',
      chunks: [{ bytes: chunk.length, hash: await hashOf(chunk) }],
      ...change,
    }
    return new Map<string, Bytes>([
      [manifestKey('warm'), await encodeManifest(manifest)],
      [chunkKey('warm', 0, 0), chunk],
    ])
  }

  function entry(change: object = {}): Buffer {
    const whole = {
      key: 'k0',
      version: undefined,
      expiresAt: undefined,
      freshForMs: 1e9,
      cost: 1,
      kind: 0,
      body: Buffer.from('[1,7]'),
    }
    return encodeWarmEntry({ ...whole, ...change }) as Buffer
  }

  test('is loaded where it is right', async () => {
    expect((await loadOf(await made(entry()))).values).toEqual(new Map([['k0', 7]]))
  })

  const lengths = Array.from({ length: 2 }, (_, field) => {
    const bytes = entry()
    bytes.writeUInt32BE(2 ** 32 - 1, 4 * field)
    return bytes
  })
  test.each([
    ['lengths of 4 GiB', lengths[0]],
    ['a body of 4 GiB', lengths[1]],
    ['half a header', entry().subarray(0, 20)],
    ['a freshness that is no number', entry({ freshForMs: Number.NaN })],
    ['a cost of nothing', entry({ cost: 0 })],
    ['an expiry below 0', entry({ expiresAt: -1 })],
    ['a kind that there is not', entry({ kind: 9 })],
    ['a body that is none', entry({ body: Buffer.from('[1,["z"]]') })],
    ['a million brackets', entry({ body: Buffer.from('['.repeat(1_000_000)) })],
    ['another format of the codec', entry({ body: Buffer.from('[2,7]') })],
  ])('is refused: %s', async (_, content) => {
    expect(await loadOf(await made(content as Buffer))).toMatchObject({
      values: new Map(),
      warm: { loaded: 0, refusals: 1, errors: 0 },
    })
  })

  test('cannot be fresher than the cache allows', async () => {
    const files = await made(entry({ freshForMs: 1e300 }), { freshForMs: 1e301 })
    expect((await loadOf(files)).values.size).toBe(0)
    const endless = await made(entry({ freshForMs: Number.POSITIVE_INFINITY }), {
      freshForMs: Number.POSITIVE_INFINITY,
    })
    expect((await loadOf(endless)).values.size).toBe(0)
  })

  test('names a prototype, and changes none', async () => {
    const body = Buffer.from('[1,["o","__proto__",1],["o","polluted",2],true]')
    const { values } = await loadOf(await made(entry({ body })))
    expect(Object.keys(values.get('k0') as object)).toEqual(['__proto__'])
    expect({}).not.toHaveProperty('polluted')
  })

  test('claims more than there may be, and is not even asked for', async () => {
    const chunks = [{ bytes: 2 ** 32 - 1, hash: '00'.repeat(32) }]
    const { values, warm } = await loadOf(await made(entry(), { chunks }))
    expect(values.size).toBe(0)
    expect(warm).toMatchObject({ loaded: 0, errors: 0 })
    const many = Array.from({ length: 66_000 }, () => ({ bytes: 24, hash: '00'.repeat(32) }))
    expect((await loadOf(await made(entry(), { chunks: many }))).warm).toMatchObject({
      loaded: 0,
      refusals: 1,
    })
  })
})
