// A layer of your own: tells of slow calls, over any store and between any layers.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { andThen, json, keyValue, type PassThrough, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'

interface SlowCall {
  readonly verb: 'read' | 'write'
  readonly items: number
  readonly ms: number
}

/** Names the verbs that it changes; core passes the rest on. Values are not looked at, so it fits anywhere. */
function slowCalls(overMs: number, report: (call: SlowCall) => void): PassThrough {
  function timed<T>(verb: 'read' | 'write', items: number, work: () => T | Promise<T>): T | Promise<T> {
    const startedAt = performance.now()
    // An answer at hand stays at hand: `andThen` makes no promise of it.
    return andThen(work(), (answer) => {
      const ms = performance.now() - startedAt
      if (ms > overMs) report({ verb, items, ms })
      return answer
    })
  }
  return passThrough('slow-calls', {
    wrap: (inner) => ({
      read: (reads, call) => timed('read', reads.length, () => inner.read(reads, call)),
      write: (mutations, call) => timed('write', mutations.length, () => inner.write(mutations, call)),
    }),
  })
}

/** A layer that changes a capability says so twice: in its type, and at run time. */
function hesitating(ms: number): PassThrough<{ readonly sync: 'none' }> {
  return passThrough('hesitating', {
    capabilities: { sync: 'none' },
    wrap: (inner) => ({ write: (mutations, call) => pause(ms).then(() => inner.write(mutations, call)) }),
  })
}

const slow: SlowCall[] = []
const kv = keyValue(memory(), [json(), slowCalls(20, (call) => slow.push(call)), hesitating(50)])
await kv.setMany([
  ['a', 1],
  ['b', 2],
])
assert.deepEqual(await kv.getMany(['a', 'b']), [1, 2])
for (const { verb, items, ms } of slow) console.log(`slow ${verb} of ${items} items: ${Math.round(ms)} ms`)
assert.ok(slow.some(({ verb, items }) => verb === 'write' && items === 2))
await kv.close()
