import { cache } from '@unikv/cache'
import { compression } from '@unikv/compression'
import { type ConformanceOptions, conformance, testClock, topicsOfValues } from '@unikv/conformance'
import { type AnyLayer, type Bytes, bytes, compose, json, newVersion, type Store, text } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { structured } from '@unikv/core/structured'
import { encryption, keyring } from '@unikv/encryption'
import { monitor } from '@unikv/monitor'
import { isWhole, smallMemory } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { remoteMemory } from './remote-memory.ts'

const clock = testClock()
const keys = keyring({ primary: 'k1', keys: { k1: Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1) } })
const encrypted = encryption({ dataset: 'test', keys })
const cached = cache({ clock })

const object = (n: number) => ({ n, name: `value ${n}`, list: [n, null, { deep: true }] })
const rich = (n: number) => ({
  n: BigInt(n),
  at: new Date(n),
  map: new Map([[n, new Set(['a', n])]]),
  minus: -0,
})
const long = (n: number) => ({ n, text: `value ${n} `.repeat(40) })

/** Run the suite over a store in these layers. */
function over<V>(
  title: string,
  layers: readonly AnyLayer[],
  {
    value,
    below = () => smallMemory({ clock }),
    damages = true,
    topics,
  }: { value?: (n: number) => V; below?: () => Store<Bytes>; damages?: boolean; topics?: RegExp | undefined },
): void {
  const stores = new WeakMap<object, Store<Bytes>>()
  const open = () => {
    const store = below()
    const stack = compose(store, layers) as Store<V>
    stores.set(stack, store)
    return stack
  }
  const corrupt = (stack: Store<V>, key: string) =>
    stores.get(stack)?.write([{ type: 'set', key, value: garbage(), version: newVersion() }], callOptions())
  const options = { test, describe, clock, open, value, topics, corrupt: damages ? corrupt : undefined }
  describe(title, async () => {
    await conformance(options as unknown as ConformanceOptions)
  })
}

/** Neither text, nor JSON, nor an envelope or frame of any kind. */
function garbage(): Uint8Array {
  return Uint8Array.from([0xff, 0xfe, 0xc0, 0x80, 0xf5, 0x00, 0x01])
}

/** Topics in which it matters what a value becomes on its way. Keys and the order of calls are the same in each stack. */
const topicsOfLayers = new RegExp(
  `${topicsOfValues.source}|binary|scan|steps|race|^take|touch|versions|whose|cancellation|lifecycle`,
)

/** Topics in which it matters that a layer is there: the stack of all of them is tested whole. */
const topicsOfParts = /^(declared|read and write|batches$|errors|versions)/

// Monitor, compression and encryption alone are in the tests of their packages.
over('json', [json()], { value: object, topics: topicsOfLayers })
over('structured', [structured()], { value: rich, topics: topicsOfLayers })
over('text', [text()], { value: (n) => `value ${n} \u{1f600}`, topics: topicsOfLayers })
over('bytes', [bytes()], { damages: false, topics: topicsOfLayers })

const all = 'monitor, cache, json, compression, encryption'

// A cache does not see what is damaged below it.
const recommended = {
  'monitor, cache, json': [monitor(), cached, json()],
  'monitor, cache, json, compression': [monitor(), cached, json(), compression()],
  'monitor, cache, json, encryption': [monitor(), cached, json(), encrypted],
  [all]: [monitor(), cached, json(), compression({ withEncryption: true }), encrypted],
}

// It answers at once.
over('all of them over memory', recommended[all], {
  value: long,
  damages: false,
  topics: topicsOfLayers,
})

for (const [title, layers] of Object.entries(recommended)) {
  over(`${title} over a remote store`, layers, {
    value: long,
    damages: false,
    below: () => remoteMemory({ clock }),
    topics: title === all ? undefined : isWhole ? topicsOfLayers : topicsOfParts,
  })
}
