import assert from 'node:assert/strict'
import { keyValue } from '@unikv/core'
import { assertSame } from '../assertions.ts'
import { activeResources, addedResources, settledResources } from '../resources.ts'
import type { OpeningSection } from './opening-case.ts'
import type { OpeningFixture } from './opening-fixture.ts'
import { loadedBefore } from './other-process.ts'

const twenty = Array.from({ length: 20 }, (_, i) => `key ${i}`)

/** Before the first call, and with it. */
export const beginnings: OpeningSection = ({ module }) => [
  {
    title: 'a store before its first call holds nothing',
    run: async (t) => {
      const options = await t.fresh()
      const settled = await settledResources()
      // At once nothing else can end, whose place in the count a new resource would take.
      const before = activeResources()
      keyValue(t.make(options))
      assert.deepEqual(addedResources(before, activeResources()), [])
      await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(addedResources(settled, activeResources()), [])
    },
  },
  {
    title: 'first calls that come at once are all answered, and the store leaves nothing when it is closed',
    releases: true,
    run: async (t) => {
      const kv = t.open(await t.fresh())
      await Promise.all(twenty.map((key, i) => kv.set(key, t.value(i))))
      for (const [i, key] of twenty.entries()) assertSame(await kv.get(key), t.value(i))
      await kv.close()
    },
  },
  ...(module?.drivers === undefined
    ? []
    : [
        {
          title: 'neither import nor making a store loads a driver',
          run: async (t: OpeningFixture) => {
            assert.deepEqual(await loadedBefore(module, await t.fresh()), [], 'drivers that were loaded')
          },
        },
      ]),
]
