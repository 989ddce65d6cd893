// An adapter in 40 lines, for any synchronous client that is like a Map of bytes. It passes the conformance suite.
import assert from 'node:assert/strict'
import { collectingRunner, conformance, testClock } from '@unikv/conformance'
import * as core from '@unikv/core'
import { decodeRecord, encodeRecord } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'

type MapLike = Pick<Map<string, Buffer>, 'get' | 'set' | 'delete' | 'keys'>
/** An undeclared operation is a compile error for the caller, and core rejects it at run time. */
const scan = { order: 'none', delivery: 'once', prefix: 'filtered' } as const
const no = { conditionalRead: false, touch: false, increment: false, existed: false } as const
const capabilities = { ...memory().capabilities, scan, ...no } satisfies core.Capabilities

/** Only translation is left: core has checked the arguments, split the batches and set a deadline. */
function mapLike(native: MapLike, clock: () => number): core.Store<core.Bytes, typeof capabilities, MapLike> {
  function find(key: string): core.Entry<core.Bytes> | undefined {
    const record = native.get(key)
    const entry = record && decodeRecord(record)
    const isLive = entry && core.isLive(entry.expiresAt, clock())
    if (isLive) return { ...entry, value: new Uint8Array(entry.value) }
    native.delete(key) // No write came between: all of this is one turn of the event loop.
    return undefined
  }
  function write(mutation: core.Mutation<core.Bytes>): core.WriteResult {
    const { type, key, version, ifVersion } = mutation
    const found = ifVersion === undefined ? undefined : (find(key)?.version ?? null)
    if (found !== ifVersion) return { conditionFailed: true }
    if (type === 'delete') native.delete(key)
    else if (type === 'set') {
      const expiresAt = mutation.expiresAt === 'keep' ? find(key)?.expiresAt : mutation.expiresAt
      native.set(key, encodeRecord(mutation.value, version, expiresAt))
    } // Nothing else arrives: core refuses what is not declared.
    return { version }
  }
  function* pages({ prefix, resume = '', pageSize }: core.ScanRange) {
    const keys = [...native.keys()].filter((key) => key.startsWith(prefix) && key > resume).sort()
    for (let i = 0; i < keys.length; i += pageSize) {
      const found = keys.slice(i, i + pageSize).map((key) => ({ key, entry: attempt(find, key) }))
      const resume = i + pageSize < keys.length ? found.at(-1)?.key : undefined
      yield { entries: found.filter(({ entry }) => entry !== undefined), resume }
    }
  }
  const read = (reads: readonly core.Read[]) => reads.map(({ key }) => attempt(find, key))
  const writeAll = (batch: readonly core.Mutation<core.Bytes>[]) => batch.map((one) => attempt(write, one))
  return { name: 'map-like', capabilities, native, read, write: writeAll, scan: pages, close: async () => {} }
}

/** Each item has a result of its own, so that one damaged record does not hide the others. */
function attempt<T, R>(work: (item: T) => R, item: T): R | core.StoreError {
  try {
    return work(item)
  } catch (error) {
    return core.toStoreError(error, {})
  }
}

const [clock, runner] = [testClock(), collectingRunner()]
await conformance({ ...runner, clock, open: () => mapLike(new Map(), clock) })
const { passed, failed } = await runner.run()
assert.deepEqual(failed, [])
console.log(`${passed} cases of the conformance suite passed`)
