import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyValue, StoreError, text } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { lmdb } from '@unikv/lmdb'
import { afterAll, expect, test } from 'vitest'
import { copy } from '../src/index.ts'
import { contents, filled, refusal, wanted } from './tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'unikv-copy-'))
afterAll(() => rm(folder, { recursive: true }))

let stores = 0
const fresh = () => lmdb({ path: join(folder, `db${stores++}`) })

test('a copy that was stopped goes on, and a second source is refused meanwhile', async () => {
  const source = await filled(memory())
  const target = fresh()
  const stop = new AbortController()
  const stopped = copy(source, target, {
    signal: stop.signal,
    onProgress: ({ records }) => records > 500 && stop.abort(),
  })
  const error: StoreError = await stopped.then(
    () => expect.unreachable(),
    (reason: StoreError) => reason,
  )
  expect(error).toEqual(refusal('ABORTED', /can be resumed/))
  expect(error.done).toBeGreaterThan(500)
  await expect(copy(source, target)).rejects.toEqual(refusal('INVALID_ARGUMENT', /unfinished copy/))
  await expect(copy(await filled(memory()), target, { resume: true })).rejects.toEqual(
    refusal('INVALID_ARGUMENT', /another source/),
  )
  const report = await copy(source, target, { resume: true })
  expect(report).toMatchObject({ records: 2_503, isResumed: true })
  expect(await contents(target)).toEqual(await wanted(source))
  await target.close()
})

test('a copy that another process took over writes nothing more, and leaves no mark', async () => {
  const source = await filled(memory())
  const target = memory()
  let goOn = () => {}
  const isReplaced = new Promise<void>((resolve) => void (goOn = resolve))
  let writes = 0
  let isStuck = () => {}
  const stuck = new Promise<void>((resolve) => void (isStuck = resolve))
  const slow = {
    ...target,
    write: async (...args: Parameters<MemoryStore['write']>) => {
      writes += 1
      if (writes === 4) {
        isStuck()
        await isReplaced
        throw new StoreError('UNAVAILABLE', 'lost')
      }
      return target.write(...args)
    },
  } as MemoryStore
  const first = copy(source, slow).catch((error: StoreError) => error)
  await stuck
  expect(await copy(source, target, { resume: true })).toMatchObject({ records: 2_503, isResumed: true })
  const kv = keyValue(target, [text()])
  await kv.setMany(Array.from({ length: 2_500 }, (_, i) => [`key ${i}`, 'newer'] as const))
  const before = await contents(target)
  goOn()
  expect(await first).toEqual(refusal('CONDITION_FAILED', /mark of this copy has gone/))
  expect(await contents(target)).toEqual(before)
})

test('of two processes that resume one copy, the later one goes on', async () => {
  const source = await filled(memory())
  const target = memory()
  const stop = new AbortController()
  const first = { signal: stop.signal, onProgress: () => stop.abort() }
  await expect(copy(source, target, first)).rejects.toMatchObject({ code: 'ABORTED' })
  const both = [copy(source, target, { resume: true }), copy(source, target, { resume: true })]
  const ends = await Promise.allSettled(both)
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: refusal('CONDITION_FAILED', /Another process has begun|has gone/),
  })
  expect(await contents(target)).toEqual(await wanted(source))
})

test('a rate also holds in comparing', async () => {
  const source = memory()
  await keyValue(source, [text()]).set('a', 'b')
  const stop = new AbortController()
  const slow = copy(source, memory(), {
    recordsPerSecond: 0.02,
    signal: stop.signal,
    onProgress: () => setTimeout(() => stop.abort(), 100),
  })
  await expect(slow).rejects.toMatchObject({ code: 'ABORTED' })
})

test('a rate is kept by waiting, and a stop ends the waiting', async () => {
  const source = await filled(memory(), 100)
  const stop = new AbortController()
  const slow = copy(source, memory(), {
    recordsPerSecond: 0.5,
    signal: stop.signal,
    onProgress: () => stop.abort(),
  })
  await expect(slow).rejects.toMatchObject({ code: 'ABORTED', done: 1 })
})
