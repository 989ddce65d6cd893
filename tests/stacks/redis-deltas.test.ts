import {
  type Bytes,
  compose,
  type Entry,
  newVersion,
  type ReadResult,
  type SetMutation,
  type Store,
  type WriteResult,
} from '@unikv/core'
import { callOptions, valueDelta } from '@unikv/core/adapter'
import { delta, diff, isInPlace } from '@unikv/delta'
import { redis } from '@unikv/redis'
import { Random } from '@unikv/test-kit/schedules'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import type { Redis } from 'ioredis'
import { afterEach, expect, test } from 'vitest'

const deltas = Number(process.env['UNIKV_DELTAS'] ?? (isWhole ? 600 : 150))

const opened: Store<Bytes>[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()))
})

describeWith('redis', (url) => {
  test.each(['ioredis', 'node-redis'] as const)(
    'by %s: a set with a delta leaves what a set without it would have left',
    async (driver) => {
      const { store } = fresh(url, driver)
      const seen = { inPlace: 0, moved: 0 }
      for (let seed = 1; seed <= deltas; seed++) {
        const random = new Random(seed)
        const base = randomBytes(random, random.below(3_000))
        const target = edited(random, base)
        const delta = { of: target, bytes: diff(base, target), inPlace: isInPlace(diff(base, target)) }
        const facts = valueDelta.with(delta)
        seen[delta.inPlace ? 'inPlace' : 'moved']++
        const before = await setBytes(store, base)
        const version = newVersion()
        const draft = { type: 'set', key: 'k', value: target, version, ifVersion: before, facts } as const
        expect(await write(store, draft), `seed ${seed}`).toEqual({ version })
        const found = await read(store, 'k')
        expect(found, `seed ${seed}`).toMatchObject({ version, expiresAt: undefined })
        expect(Buffer.compare((found as { value: Bytes }).value, target), `seed ${seed}`).toBe(0)
      }
      expect(seen.inPlace).toBeGreaterThan(deltas / 6)
      expect(seen.moved).toBeGreaterThan(deltas / 6)
    },
  )

  const base = bytes('0123456789'.repeat(100))
  const whole = bytes('what the value says')
  // So that it shows what was sent: the delta makes something else than the value.
  const inPlace = bytes('0123456789'.repeat(40) + 'what the delta says' + '0123456789'.repeat(59).slice(9))
  const moved = bytes('the delta says '.concat('0123456789'.repeat(100)))

  test.each([
    { title: 'in place', target: inPlace },
    { title: 'of what moves', target: moved },
  ])('the server applies a delta $title, and sets, keeps and removes the expiry', async ({ target }) => {
    const { store, client, prefix } = fresh(url)
    const delta = { of: whole, bytes: diff(base, target), inPlace: target === inPlace }
    expect(isInPlace(delta.bytes)).toBe(delta.inPlace)
    const at = Date.now() + 60_000
    for (const { from, to, is } of [
      { from: undefined, to: at, is: at },
      { from: at, to: 'keep' as const, is: at },
      { from: at, to: undefined, is: undefined },
      { from: undefined, to: 'keep' as const, is: undefined },
    ]) {
      const ifVersion = await setBytes(store, base, from)
      const draft = {
        type: 'set',
        key: 'k',
        value: whole,
        ifVersion,
        expiresAt: to,
        facts: valueDelta.with(delta),
      } as const
      expect(await write(store, draft)).toHaveProperty('version')
      expect(await text(store, 'k')).toBe(Buffer.from(target).toString())
      expect(await read(store, 'k')).toMatchObject({ expiresAt: is })
      expect((await client.pttl(`${prefix}k`)) > 0).toBe(is !== undefined)
    }
  })

  test('a delta of another version changes nothing', async () => {
    const { store } = fresh(url)
    const delta = { of: whole, bytes: diff(base, inPlace), inPlace: true }
    const version = await setBytes(store, base)
    const late = {
      type: 'set',
      key: 'k',
      value: whole,
      ifVersion: newVersion(),
      facts: valueDelta.with(delta),
    } as const
    expect(await write(store, late)).toEqual({ conditionFailed: true, version })
    expect(await write(store, { ...late, key: 'absent' })).toEqual({ conditionFailed: true })
    expect(await text(store, 'k')).toBe(Buffer.from(base).toString())
  })

  test('a delta of another base of that version is CORRUPT, and changes nothing', async () => {
    const { store } = fresh(url)
    const version = await setBytes(store, bytes('another base'))
    const delta = { of: whole, bytes: diff(base, inPlace), inPlace: true }
    const draft = {
      type: 'set',
      key: 'k',
      value: whole,
      ifVersion: version,
      facts: valueDelta.with(delta),
    } as const
    expect(await write(store, draft)).toMatchObject({ code: 'CORRUPT' })
    expect(await text(store, 'k')).toBe('another base')
  })

  test('a value that was there before the delta layer is changed through it', async () => {
    const { store } = fresh(url)
    const plain = bytes('what does not change. '.repeat(100))
    await setBytes(store, plain)
    const layer = delta({ acceptPlain: true })
    const stack = compose(store, [layer])
    for (const word of ['one', 'two', 'six']) {
      const [there] = await stack.read([{ key: 'k' }], callOptions())
      const { value, version } = there as Entry<Bytes>
      const next = Buffer.concat([Buffer.from(word), value.slice(3)])
      expect(await write(stack, { type: 'set', key: 'k', value: next, ifVersion: version })).toEqual({
        version: expect.any(String) as string,
      })
      expect(await text(stack, 'k')).toMatch(word)
    }
    expect(layer.stats()[0]?.sent).toBe(0)
  })

  const changed = diff(base, inPlace)
  test.each([
    { title: 'that ends early', bytes: changed.subarray(0, -1), inPlace: true },
    { title: 'that ends within a number', bytes: changed.subarray(0, 9), inPlace: true },
    { title: 'with something behind it', bytes: Buffer.concat([changed, Buffer.of(0)]), inPlace: true },
    { title: 'that moves, as one in place', bytes: diff(base, moved), inPlace: true },
    { title: 'that cuts off, as one in place', bytes: diff(base, base.subarray(0, 900)), inPlace: true },
    { title: 'that ends early, of what moves', bytes: diff(base, moved).subarray(0, -2), inPlace: false },
    { title: 'of nothing', bytes: new Uint8Array(), inPlace: false },
  ])('a delta $title is an error, and changes nothing', async ({ title: _, ...delta }) => {
    const { store } = fresh(url)
    const version = await setBytes(store, base)
    const draft = {
      type: 'set',
      key: 'k',
      value: whole,
      ifVersion: version,
      facts: valueDelta.with({ of: whole, ...delta }),
    } as const
    expect(await write(store, draft)).toBeInstanceOf(Error)
    expect(await read(store, 'k')).toMatchObject({ version, value: Buffer.from(base) })
  })

  test.each([
    { title: 'another value', change: { of: bytes('') } },
    { title: 'no version', change: {}, ifVersion: undefined },
    { title: 'a long delta', change: { bytes: diff(base, inPlace), long: true } },
  ])('the value is sent in place of a delta for $title', async ({ change, ...condition }) => {
    const { store } = fresh(url)
    const target = Buffer.alloc(5_000, 'x').fill(Buffer.from(Array.from({ length: 256 }, (_, i) => i)))
    const delta = { of: whole, bytes: diff(base, inPlace), inPlace: true, ...change }
    if ('long' in change)
      delta.bytes = diff(
        base,
        target.map((byte, i) => (byte * 31 + i * i * 7) & 255),
      )
    const version = await setBytes(store, base)
    const draft = {
      type: 'set',
      key: 'k',
      value: whole,
      ifVersion: version,
      facts: valueDelta.with(delta),
      ...condition,
    } as const
    expect(await write(store, draft)).toHaveProperty('version')
    expect(await text(store, 'k')).toBe('what the value says')
  })
})

/** A store over a dataset of its own, closed after the test. */
function fresh(url: string, driver: 'ioredis' | 'node-redis' = 'ioredis') {
  const dataset = `d${newVersion()}`
  const store = redis({ url, driver, dataset })
  opened.push(store)
  return { store, client: store.native as Redis, prefix: `${dataset}:` }
}

type Draft = Omit<SetMutation<Bytes>, 'version'> & { readonly version?: string }

async function write(store: Store<Bytes>, draft: Draft): Promise<WriteResult> {
  return (await store.write([{ version: newVersion(), ...draft }], callOptions()))[0] as WriteResult
}

async function read(store: Store<Bytes>, key: string): Promise<ReadResult<Bytes>> {
  return (await store.read([{ key }], callOptions()))[0]
}

async function text(store: Store<Bytes>, key: string): Promise<string | undefined> {
  const found = await read(store, key)
  return found !== undefined && 'value' in found ? Buffer.from(found.value).toString() : undefined
}

function bytes(value: string): Uint8Array {
  return Buffer.from(value)
}

async function setBytes(store: Store<Bytes>, value: Bytes, expiresAt?: number): Promise<string> {
  const version = newVersion()
  const result = await write(store, { type: 'set', key: 'k', value, version, expiresAt })
  if (result instanceof Error) throw result
  return version
}

function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(4)))
}

/** Overwritten here and there, put in, cut out, moved, made longer or shorter. */
function edited(random: Random, base: Buffer): Buffer {
  let target = Buffer.from(base)
  const inPlaceOnly = random.below(2) === 0
  for (let edits = 1 + random.below(6); edits > 0; edits--) {
    const at = random.below(target.length + 1)
    const piece = randomBytes(random, 1 + random.below(40))
    const kind = inPlaceOnly ? 0 : random.below(4)
    if (kind === 0)
      target = Buffer.concat([target.subarray(0, at), piece, target.subarray(at + piece.length)])
    else if (kind === 1) target = Buffer.concat([target.subarray(0, at), piece, target.subarray(at)])
    else if (kind === 2) target = Buffer.concat([target.subarray(0, at), target.subarray(at + piece.length)])
    else target = Buffer.concat([target.subarray(at), target.subarray(0, at)])
  }
  return target
}
