import {
  type Bytes,
  compose,
  json,
  keyValue,
  newVersion,
  passThrough,
  type Store,
  StoreError,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { expect, test, vi } from 'vitest'
import { type WriteBehindOptions, writeBehind } from '../src/index.ts'
import { diceOf } from './faults.ts'
import { turn } from './setting.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A queue that brings nothing to its store by itself, as nobody is there to take it. Its source stands for one database. */
function behind(journal: Store<Bytes>, options: WriteBehindOptions = {}, source: MemoryStore = memory()) {
  const layer = writeBehind({ background: () => {}, journal, delayMs: 60_000, dataset: 'tests', ...options })
  return { layer, source, kv: keyValue(source, [layer]) }
}

/** The same store, with other verbs. */
function changed(store: MemoryStore, verbs: Partial<Store<Bytes>>): Store<Bytes> {
  return { ...(store as unknown as Store<Bytes>), ...verbs }
}

/** What a process leaves in a journal that is killed after these writes. */
async function left(count: number): Promise<MemoryStore> {
  const records = memory()
  const { kv } = behind(records)
  for (let i = 0; i < count; i++) await kv.set(`key ${i}`, bytes(`value ${i}`))
  await kv.delete('gone')
  return records
}

test('a write is acknowledged when the journal has it, and not before', async () => {
  const records = memory()
  let open: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const slow = changed(records, {
    write: async (mutations, call) => {
      await gate
      return records.write(mutations, call)
    },
  })
  const { kv } = behind(slow)
  let isDone = false
  const work = kv.set('key', bytes('one')).then(() => {
    isDone = true
  })
  await turn()
  expect(isDone).toBe(false)
  open()
  await work
  expect(records.native.size).toBe(1)
})

test('a write that the journal refuses changes nothing, and its error is told', async () => {
  const full = changed(memory(), {
    write: () => {
      throw new StoreError('STORE_FULL', 'Full.')
    },
  })
  const { kv, layer } = behind(full)
  await expect(kv.set('key', bytes('one'))).rejects.toMatchObject({ code: 'STORE_FULL' })
  expect(await kv.get('key')).toBeUndefined()
  expect(layer.stats()).toMatchObject({ queued: 0, queuedBytes: 0, accepted: 0 })
})

test('what a killed process left is read before anything is answered, and brought to the store with its versions', async () => {
  const records = await left(3)
  const source = memory()
  await source.write(
    [{ type: 'set', key: 'gone', value: bytes('old'), version: newVersion() }],
    callOptions(),
  )
  const { kv, layer } = behind(records, {}, source)
  const version = (await kv.getEntry('key 1'))?.version
  expect(await kv.getMany(['key 0', 'key 2', 'gone'])).toEqual([
    bytes('value 0'),
    bytes('value 2'),
    undefined,
  ])
  await layer.flush()
  expect(source.native.get('key 1')?.version).toBe(version)
  expect(source.native.has('gone')).toBe(false)
  await kv.close()
  expect(records.native.size).toBe(0)
  expect(layer.stats()).toMatchObject({ replayed: 4, written: 4, refused: 0 })
})

test('what this process writes is newer than what it finds', async () => {
  const { kv, layer, source } = behind(await left(1))
  await kv.set('key 0', bytes('newer'))
  await layer.flush()
  expect(source.native.get('key 0')?.value).toEqual(bytes('newer'))
})

test('a journal that cannot be read fails each call until it can', async () => {
  const records = await left(1)
  let isAway = true
  const store = changed(records, {
    scan: (range, call) => {
      if (isAway) throw new StoreError('UNAVAILABLE', 'Away.')
      return records.scan(range, call)
    },
  })
  const { kv } = behind(store)
  await expect(kv.get('key 0')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(kv.set('key 0', bytes('two'))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  isAway = false
  expect(await kv.get('key 0')).toEqual(bytes('value 0'))
})

test('records that are torn, changed, foreign or in a wrong place are counted and left, and the others are replayed', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const dice = diceOf(7)
  for (let round = 0; round < 200; round++) {
    const records = await left(4)
    const names = Array.from(records.native.keys())
    const name = names[dice(names.length)] as string
    const value = Buffer.from(records.native.get(name)?.value as Uint8Array)
    const at = dice(value.length)
    const damages = [
      () => value.subarray(0, at),
      () => Buffer.concat([value, Buffer.from([dice(256)])]),
      () => Buffer.from(value.map((byte, i) => (i === at ? byte ^ (1 << dice(8)) : byte))),
      () => Buffer.from(records.native.get(names.find((one) => one !== name) as string)?.value as Uint8Array),
      () => Buffer.alloc(dice(100), dice(256)),
      () => Buffer.from('{"a":1}'),
    ]
    const damaged = (damages[dice(damages.length)] as () => Buffer)()
    await records.write([{ type: 'set', key: name, value: damaged, version: newVersion() }], callOptions())
    const { kv, layer } = behind(records)
    await layer.flush()
    await kv.close()
    expect(layer.stats(), `round ${round}`).toMatchObject({ replayed: 4, refused: 1, lost: 0 })
    expect(Array.from(records.native.keys())).toEqual([name])
  }
  expect(warned).toHaveBeenCalledTimes(200)
  warned.mockRestore()
})

test('records that could not be removed are removed later', async () => {
  const records = memory()
  let isAway = false
  const store = changed(records, {
    write: (mutations, call) => {
      if (isAway) throw new StoreError('UNAVAILABLE', 'Away.')
      return records.write(mutations, call)
    },
  })
  const { kv, layer } = behind(store)
  await kv.set('key', bytes('one'))
  isAway = true
  await layer.flush()
  await turn()
  expect(records.native.size).toBe(1)
  isAway = false
  await kv.close()
  expect(records.native.size).toBe(0)
})

test('a namespace keeps the journals of processes apart, and users of the same store see nothing of the source', async () => {
  const records = memory()
  const [one, two] = ['one', 'two'].map((namespace) => behind(records, { namespace }))
  await one?.kv.set('key', bytes('1'))
  await two?.kv.set('key', bytes('2'))
  const again = behind(records, { namespace: 'one' })
  expect(await again.kv.get('key')).toEqual(bytes('1'))
  expect(again.layer.stats().replayed).toBe(1)
})

test('keys as long as the store takes fit the journal, and capabilities say what does not', async () => {
  const records = memory()
  const { kv, source } = behind(records)
  const long = 'k'.repeat(source.capabilities.maxKeyBytes)
  await kv.set(long, bytes('one'))
  expect(await behind(records).kv.get(long)).toEqual(bytes('one'))
  expect(kv.capabilities.maxValueBytes).toBeLessThan(source.capabilities.maxValueBytes)
  expect(kv.capabilities).toMatchObject({
    durability: 'memory',
    isolation: 'eventual',
    conditionalWrite: false,
  })
})

test.each([
  [false, false, undefined, 'refused'],
  [false, false, 'allowed', 'taken'],
  [false, true, undefined, 'taken'],
] as const)(
  'over a sealed store: journal sealed %s, %s, plaintext %s is %s',
  (_, isSealed, plaintext, verdict) => {
    const sealed = passThrough('sealed', { capabilities: { sealed: true }, wrap: () => ({}) })
    const journal = isSealed ? compose(memory(), [sealed]) : memory()
    const layer = writeBehind({ background: () => {}, journal, plaintext })
    const make = () => compose(memory(), [layer, sealed])
    if (verdict === 'taken') expect(make().name).toBe('memory')
    else expect(make).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  },
)

test('a store that cannot list, or that evicts, is no journal; and one journal is of one stack', () => {
  const changes = [{ scan: false }, { evicts: true }] as const
  for (const capabilities of changes) {
    const journal = compose(memory(), [passThrough('other', { capabilities, wrap: () => ({}) })])
    expect(() => writeBehind({ background: () => {}, journal })).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG' }),
    )
  }
  const layer = writeBehind({ background: () => {}, journal: memory() })
  compose(memory(), [layer])
  expect(() => compose(memory(), [layer])).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})

test('a stack that is closed closes its journal for no other one', async () => {
  const remote = memory()
  let closed = 0
  const store: Store<Uint8Array> = { ...remote, close: async () => void closed++ }
  const open = () => keyValue(memory(), [json(), writeBehind({ background: () => {}, journal: store })])
  const [a, b] = [open(), open()]
  await a.close()
  expect(closed).toBe(0)
  await b.set('k', 1)
  expect(await b.get('k')).toBe(1)
  await b.close()
  expect(closed).toBe(1)
})
