import { type CallSettings, isStoreError, keyValue } from '@unikv/core'
import { isUserKey } from '@unikv/core/adapter'
import { expect, test } from 'vitest'
import { delta } from '../src/index.ts'
import { opened, quiet, same } from './opened.ts'
import { revision } from './samples.ts'
import { Watched } from './watched.ts'

/** A set that waits for the answer to its new part, which `answer` gives. */
async function withPartUnderWay(settings: CallSettings, graceMs = 1) {
  const store = new Watched()
  const kv = keyValue(store, [delta({ inlineBytes: 0 })], { graceMs })
  for (const n of [1, 2]) await kv.set('key', revision(n))
  let answer = (): void => {}
  const started = new Promise<void>((resolve) => {
    store.beforeWrite = ([first]) => {
      if (isUserKey(first?.key as string)) return
      resolve()
      return new Promise<void>((done) => (answer = done))
    }
  })
  const code = kv.set('key', revision(3), settings).then(
    () => 'written',
    (error: unknown) => (isStoreError(error) ? error.code : 'another error'),
  )
  await started
  store.forget()
  return { store, kv, code, answer: () => answer() }
}

/** What is there when the answer has come, for a process that knows nothing. */
async function leftBy({ store, answer }: Awaited<ReturnType<typeof withPartUnderWay>>) {
  answer()
  store.beforeWrite = () => {}
  await quiet()
  const heads = store.writes.flat().filter(({ key }) => isUserKey(key))
  return { heads, value: same(await opened({}, store).kv.get('key')) }
}

const untouched = { heads: [], value: same(revision(2)) }

test('a set that is aborted while its part is written writes no head', async () => {
  const abort = new AbortController()
  const underWay = await withPartUnderWay({ signal: abort.signal })
  abort.abort()
  expect(await underWay.code).toBe('ABORTED')
  expect(await leftBy(underWay)).toEqual(untouched)
})

test('a set whose deadline comes while its part is written writes no head, and says that nothing happened', async () => {
  const underWay = await withPartUnderWay({ timeoutMs: 200 })
  expect(await underWay.code).toBe('TIMEOUT')
  expect(await leftBy(underWay)).toEqual(untouched)
})

test('a set that a close cuts off while its part is written writes no head', async () => {
  const underWay = await withPartUnderWay({})
  await underWay.kv.close()
  expect(await underWay.code).toBe('CLOSED')
  expect(await leftBy(underWay)).toEqual(untouched)
})

test('a close lets a set end whose part is being written', async () => {
  const underWay = await withPartUnderWay({}, 60_000)
  const closing = underWay.kv.close()
  underWay.answer()
  expect(await underWay.code).toBe('written')
  await closing
  expect((await leftBy(underWay)).value).toEqual(same(revision(3)))
})
