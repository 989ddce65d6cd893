import { type ConformanceOptions, conformance, testClock } from '@unikv/conformance'
import {
  type AnyLayer,
  bytes,
  callOptions,
  compose,
  json,
  type MemoryStore,
  memory,
  newVersion,
  type Store,
  structured,
  text,
} from '@unikv/core'
import { encryption, keyring } from '@unikv/encryption'
import { describe, test } from 'vitest'

/** Run the suite over memory in these layers. */
function overMemory<V>(
  title: string,
  layers: readonly AnyLayer[],
  value?: (n: number) => V,
  hooks: { readonly damages: boolean } = { damages: true },
): void {
  const clock = testClock()
  const below = new WeakMap<object, MemoryStore>()
  const open = () => {
    const inner = memory({ clock })
    const stack = compose(inner, layers) as Store<V>
    below.set(stack, inner)
    return stack
  }
  const corrupt = (stack: Store<V>, key: string) =>
    below.get(stack)?.write([{ type: 'set', key, value: garbage(), version: newVersion() }], callOptions())
  const options = { test, describe, clock, open, value, corrupt: hooks.damages ? corrupt : undefined }
  describe(title, async () => {
    await conformance(options as unknown as ConformanceOptions)
  })
}

/** Neither text, nor JSON, nor an envelope of any kind. */
function garbage(): Uint8Array {
  return Uint8Array.from([0xff, 0xfe, 0xc0, 0x80, 0xf5, 0x00, 0x01])
}

const keys = keyring({ primary: 'k1', keys: { k1: Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1) } })

const object = (n: number) => ({ n, name: `value ${n}`, list: [n, null, { deep: true }] })
const rich = (n: number) => ({
  n: BigInt(n),
  at: new Date(n),
  map: new Map([[n, new Set(['a', n])]]),
  minus: -0,
})

overMemory('json over memory', [json()], object)
overMemory('structured over memory', [structured()], rich)
overMemory('text over memory', [text()], (n) => `value ${n} \u{1f600}`)
overMemory('bytes over memory', [bytes()], undefined, { damages: false })

overMemory('encryption over memory', [encryption({ dataset: 'test', keys })])
overMemory('json and encryption over memory', [json(), encryption({ dataset: 'test', keys })], object)
