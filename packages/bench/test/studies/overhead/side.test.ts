import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from '@unikv/stores/lazy'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { overheadConfigSchema } from '../../../src/studies/overhead/config.ts'
import { overhead } from '../../../src/studies/overhead/overhead.ts'
import type { SideStart } from '../../../src/studies/overhead/side/messages.ts'
import { Side } from '../../../src/studies/overhead/side/side.ts'
import { runStudy } from '../../../src/study/run-study.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-side-'))
})
afterEach(() => rm(folder, { recursive: true }))

function start(): SideStart {
  const module = new URL('./fixtures/mortal-store.mjs', import.meta.url).href
  const opener = { module, url: 'redis://here', options: { folder } }
  const place = { namespace: ['run'], name: 'unikv_native_1' }
  return {
    side: 'native',
    opener,
    layers: [],
    ...place,
    valueSize: 10,
    callers: 1,
    timeoutMs: 10_000,
    seed: 1,
  }
}

test('the records of a process that ended by itself are removed by another one', async () => {
  const side = await Side.start(start())
  await side.load(0, 20)
  expect(await readdir(folder)).toHaveLength(20)
  await expect(side.run('read', 1)).rejects.toThrow('The process of the native side ended with 3.')
  await side.end()
  expect(await readdir(folder)).toEqual([])
})

test('a process whose parent is gone removes its records, and ends', async () => {
  const child = fork(new URL('../../../dist/studies/overhead/side/process.js', import.meta.url))
  for (const order of [
    { type: 'start', start: start() },
    { type: 'load', from: 0, to: 20 },
  ]) {
    child.send(order)
    expect(await once(child, 'message')).toEqual([{}, undefined])
  }
  expect(await readdir(folder)).toHaveLength(20)
  child.send({ type: 'load', from: 20, to: 1e9 })
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(await readdir(folder)).toEqual([])
})

test('a run that was interrupted goes on: volumes that were measured are not measured again', async () => {
  const url = `file:${folder}`
  const store = await open(url)
  const module = new URL('../../../../stores/dist/lazy.js', import.meta.url).href
  const target = { name: 'file', url, store, opener: () => ({ module, url, options: {} }) }
  const kept = new Map<string, unknown>()
  const given = { volumes: [5, 10], runs: 2, durationMs: 1, warmupMs: 1, valueSize: 10 }
  const config = overheadConfigSchema.parse(given)
  /** Ctrl-C when the second volume begins, if asked for. */
  const started = (interrupted: boolean) => {
    const controller = new AbortController()
    const cells = {
      read: async (name: string) => {
        if (interrupted && kept.size === 1) controller.abort(new Error('Ctrl-C'))
        return kept.get(name)
      },
      write: async (name: string, cell: unknown) => void kept.set(name, JSON.parse(JSON.stringify(cell))),
    }
    const { signal } = controller
    return runStudy(overhead, { config, stores: [target], data: synthetic({ seed: 1 }), cells, signal })
  }
  const first = await started(true)
  const second = await started(false)
  const third = await started(false)
  await store.close()
  const of = ({ rows }: typeof first, records: number) =>
    rows.filter(({ dimensions }) => dimensions['records'] === records)
  expect([first.status, of(first, 10)]).toEqual(['interrupted', []])
  expect(of(first, 5).length).toBeGreaterThan(0)
  expect([second.status, of(second, 5)]).toEqual(['complete', of(first, 5)])
  expect(of(second, 10)).toHaveLength(of(first, 5).length)
  expect([third.status, third.rows]).toEqual(['complete', second.rows])
})
