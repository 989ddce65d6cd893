import assert from 'node:assert/strict'
import { isStoreError } from '@unikv/core'
import { rejectsWith } from '../assertions.ts'
import type { OpeningSection } from './opening-case.ts'
import { verbsOf } from './opening-fixture.ts'

/** Stores that are closed before, while and after they open. */
export const closings: OpeningSection = () => [
  {
    title: 'a store that was closed before its first call is CLOSED to every call, and leaves nothing',
    releases: true,
    run: async (t) => {
      const store = t.make(await t.fresh())
      await Promise.all([store.close(), store.close()])
      for (const run of verbsOf(store, t.value(1))) await rejectsWith('CLOSED', run)
      await store.close()
    },
  },
  {
    title: 'a store that is closed while it opens ends every call, and leaves nothing',
    releases: true,
    run: async (t) => {
      const options = await t.fresh()
      for (const turns of [0, 1, 5]) {
        const store = t.make(options)
        const calls = verbsOf(store, t.value(1)).map((run) => run())
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
        const closing = store.close()
        for (const outcome of await Promise.allSettled(calls)) {
          if (outcome.status === 'fulfilled') continue
          const error: unknown = outcome.reason
          assert.ok(isStoreError(error), `a StoreError is thrown, not ${String(error)}`)
          assert.match(error.code, /^(CLOSED|OUTCOME_UNKNOWN|UNAVAILABLE|ABORTED)$/, error.message)
        }
        await closing
        for (const run of verbsOf(store, t.value(1))) await rejectsWith('CLOSED', run)
      }
    },
  },
  {
    title: 'a store that was used and closed is CLOSED to every call, and leaves nothing',
    releases: true,
    run: async (t) => {
      const store = t.make(await t.fresh())
      for (const run of verbsOf(store, t.value(1))) await run()
      await Promise.all([store.close(), store.close()])
      for (const run of verbsOf(store, t.value(1))) await rejectsWith('CLOSED', run)
    },
  },
]
