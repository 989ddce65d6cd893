import assert from 'node:assert/strict'
import { assertSame, rejectsWith } from '../assertions.ts'
import type { OpeningCase, OpeningSection } from './opening-case.ts'
import { verbsOf } from './opening-fixture.ts'
import type { OpeningModule, Preparing } from './opening-options.ts'
import { prepareInTwo } from './other-process.ts'

/** Datasets that must be prepared before they are used. */
export const preparations: OpeningSection = ({ preparing, module }) =>
  preparing === undefined
    ? []
    : [
        ...missing(preparing),
        ...prepared(preparing),
        ...(module === undefined ? [] : [inTwoProcesses(preparing, module)]),
        ...(preparing.remove === undefined ? [] : [removed(preparing)]),
      ]

function missing(preparing: Preparing<object>): readonly OpeningCase[] {
  return [
    {
      title: 'what was not prepared is NOT_PREPARED to every call, which makes nothing and says what to do',
      run: async (t) => {
        const options = await preparing.missing()
        const store = t.make(options)
        for (const run of verbsOf(store, t.value(1))) {
          const { message } = await rejectsWith('NOT_PREPARED', run)
          assert.ok(
            message.includes(preparing.prepare.name) || /create|prepare/i.test(message),
            `the message says what to do: ${message}`,
          )
        }
        await rejectsWith('NOT_PREPARED', verbsOf(t.make(options), t.value(1))[0] as () => unknown)
      },
    },
    {
      title: 'a store that was not prepared works once it is, without being opened anew',
      run: async (t) => {
        const options = t.discarded(await preparing.missing())
        const kv = t.open(options)
        await rejectsWith('NOT_PREPARED', () => kv.get('key'))
        await preparing.prepare(options)
        await kv.set('key', t.value(1))
        assertSame(await kv.get('key'), t.value(1))
      },
    },
  ]
}

function prepared(preparing: Preparing<object>): readonly OpeningCase[] {
  return [
    {
      title: 'the first call prepares where it was asked to',
      run: async (t) => {
        const options = t.discarded(await preparing.missing())
        const kv = t.open(preparing.onCall(options))
        await kv.set('key', t.value(1))
        assertSame(await t.open(options).get('key'), t.value(1))
      },
    },
    {
      title: 'to prepare again, four times at once, is fine and loses nothing',
      run: async (t) => {
        const options = t.discarded(await preparing.missing())
        const four = (): Promise<unknown> => Promise.all([1, 2, 3, 4].map(() => preparing.prepare(options)))
        await four()
        const kv = t.open(options)
        await kv.set('key', t.value(1))
        await four()
        assertSame(await kv.get('key'), t.value(1))
        assertSame(await t.open(preparing.onCall(options)).get('key'), t.value(1))
      },
    },
  ]
}

function inTwoProcesses(preparing: Preparing<object>, module: OpeningModule): OpeningCase {
  return {
    title: 'two processes may prepare it at the same time',
    run: async (t) => {
      const options = t.discarded(await preparing.missing())
      await prepareInTwo(module, module.prepare === undefined ? preparing.onCall(options) : options)
      const kv = t.open(options)
      await kv.set('key', t.value(1))
      assertSame(await kv.get('key'), t.value(1))
    },
  }
}

function removed(preparing: Preparing<object>): OpeningCase {
  return {
    title: 'what goes away while the store is open is NOT_PREPARED to every call, never a miss',
    run: async (t) => {
      const options = t.discarded(await preparing.missing())
      await preparing.prepare(options)
      const store = t.make(options)
      for (const run of verbsOf(store, t.value(1))) await run()
      await preparing.remove?.(options)
      for (const run of verbsOf(store, t.value(1))) await rejectsWith('NOT_PREPARED', run)
    },
  }
}
